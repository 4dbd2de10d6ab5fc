import type { Around } from '#api/http/hooks.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import type { HttpReply, Route } from '#contract/http-messages.ts';
import { readFileSync } from 'node:fs';

/** A change of one keyword in a response schema. The server then responds as if its document had the changed schema. */
interface SchemaMutant {
  /** Permanent name of the mutant: generation, place of the schema, and keyword. */
  readonly key: string;
  readonly version: Version;
  /** JSON pointer to the schema in the bundled document. */
  readonly pointer: string;
  readonly change: KeywordChange['change'];
}

/**
 * Returns the mutants of all schemas of documented responses: one for each keyword that a response can violate; for
 * `type` and `required`, one for each type and each member.
 */
export function schemaMutants(): SchemaMutant[] {
  return (['v2', 'v3', 'v4'] as const).flatMap((version) =>
    schemaPlaces(version).flatMap((pointer) =>
      keywordChanges(bundledDocument(version).schemaAt(pointer)[1]).map(({ keyword, change }) => ({
        key: `${version} ${pointer}: ${keyword}`,
        version,
        pointer,
        change,
      })),
    ),
  );
}

/** Returns the JSON pointers of all schemas that describe a response or a part of a response, in alphabetical order. */
function schemaPlaces(version: Version): string[] {
  const { answers, schemaAt } = bundledDocument(version);
  const places = new Set<string>();
  const waiting = [...answers.values()];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [at, schema] = schemaAt(next);
    if (places.has(at)) continue;
    places.add(at);
    waiting.push(...partPlaces(at, schema));
  }
  return [...places].toSorted();
}

function partPlaces(at: string, schema: JsonObject): string[] {
  const { properties, items, additionalProperties } = schema;
  return [
    ...branchPlaces(at, schema),
    ...Object.keys(isJsonObject(properties) ? properties : {}).map((name) => `${at}/properties/${pointerPart(name)}`),
    ...(isJsonObject(items) ? [`${at}/items`] : []),
    ...(isJsonObject(additionalProperties) ? [`${at}/additionalProperties`] : []),
  ];
}

function branchPlaces(at: string, schema: JsonObject): string[] {
  return ['allOf', 'anyOf', 'oneOf'].flatMap((name) => {
    const branches = schema[name];
    return (Array.isArray(branches) ? branches : []).map((_branch, index) => `${at}/${name}/${index}`);
  });
}

/**
 * Creates the hook that changes each response of the reference as a schema mutant requires. The hook calls `onChange`
 * for each value that it changes.
 */
export function answerBy(mutant: SchemaMutant, onChange: () => void): Around {
  return async (request, answer) => {
    let operation: string | undefined;
    const reply = await answer({
      ...request,
      matched: (route) => {
        if (route.version === mutant.version) operation = route.id.slice(route.id.indexOf('.') + 1);
        request.matched?.(route);
      },
    });
    return operation === undefined ? reply : changedReply(reply, operation, { mutant, onChange });
  };
}

interface Changing {
  readonly mutant: SchemaMutant;
  readonly onChange: () => void;
}

function changedReply(reply: HttpReply, operation: string, changing: Changing): HttpReply {
  const { text, ...rest } = reply;
  const schema = bundledDocument(changing.mutant.version).answers.get(`${operation} ${reply.status}`);
  if (schema === undefined || reply.body === undefined) return reply;
  const body: JsonValue = JSON.parse(text ?? JSON.stringify(reply.body));
  return { ...rest, body: changedValue(schema, body, changing) };
}

/**
 * Returns the value that the schema at `place` describes, with a change of every part that the mutant's schema
 * describes.
 */
function changedValue(place: string, value: JsonValue, changing: Changing): JsonValue {
  const { mutant, onChange } = changing;
  const [at, schema] = bundledDocument(mutant.version).schemaAt(place);
  if (at === mutant.pointer) {
    const changed = mutant.change(value);
    if (changed !== value) onChange();
    return changed;
  }
  const branches = branchPlaces(at, schema).filter((branch) => canDescribe(branch, value, mutant.version));
  const whole = branches.reduce((found, branch) => changedValue(branch, found, changing), value);
  if (Array.isArray(whole))
    return isJsonObject(schema['items']) ? whole.map((item) => changedValue(`${at}/items`, item, changing)) : whole;
  return isJsonObject(whole) ? changedMembers({ at, schema }, whole, changing) : whole;
}

function changedMembers(
  { at, schema }: { readonly at: string; readonly schema: JsonObject },
  value: JsonObject,
  changing: Changing,
): JsonObject {
  const { properties, additionalProperties } = schema;
  const known = isJsonObject(properties) ? properties : {};
  const placeFor = (name: string): string | undefined => {
    if (name in known) return `${at}/properties/${pointerPart(name)}`;
    return isJsonObject(additionalProperties) ? `${at}/additionalProperties` : undefined;
  };
  const members = Object.entries(value).map(([name, member]) => {
    const place = placeFor(name);
    return [name, place === undefined ? member : changedValue(place, member, changing)] as const;
  });
  return Object.fromEntries(members);
}

/**
 * Returns true if a value has a type of the branch and all its required members. A branch without a type fits any value
 * except null.
 */
function canDescribe(branch: string, value: JsonValue, version: Version): boolean {
  const schema = bundledDocument(version).schemaAt(branch)[1];
  const types = textList(schema['type']);
  const name = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  const isOfType = types.length === 0 ? name !== 'null' : types.includes(name);
  const isWhole = name === 'number' && types.includes('integer');
  return (isOfType || isWhole) && (!isJsonObject(value) || textList(schema['required']).every((one) => one in value));
}

function textList(value: JsonValue | undefined): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.map(String) : [];
}

/** A change of response values that violates one keyword of a schema. */
interface KeywordChange {
  /** Name of the keyword. For `type`, `format` and `required` also the type, format or member. */
  readonly keyword: string;
  /** Returns the changed value, or the given value if the keyword does not apply to this value. */
  readonly change: (value: JsonValue) => JsonValue;
}

/**
 * A function that returns the changes for one or more keywords of a schema. Together, the functions in `changes` cover
 * every keyword of the documents, except annotations, which change no response, and keywords that contain schemas.
 */
type Changes = (schema: JsonObject) => readonly KeywordChange[];

/** Returns the changes for all keywords of a schema that a response can violate. */
export function keywordChanges(schema: JsonObject): KeywordChange[] {
  return changes.flatMap((change) => change(schema));
}

const changes: readonly Changes[] = [
  ({ type }) => getTypes(type).map((one) => ({ keyword: `type ${one}`, change: (value) => ofOtherType(one, value) })),
  ({ type }) =>
    type === undefined || getTypes(type).includes('null')
      ? []
      : [{ keyword: 'type, null as well', change: () => null }],
  ({ required }) => getTexts(required).map((name) => ({ keyword: `required ${name}`, change: without(name) })),
  (schema) => (schema['enum'] === undefined ? [] : [{ keyword: 'enum', change: unlisted }]),
  (schema) => (schema['const'] === undefined ? [] : [{ keyword: 'const', change: unlisted }]),
  ({ format }) => (typeof format === 'string' ? [{ keyword: `format ${format}`, change: unformatted }] : []),
  ({ pattern }) => (typeof pattern === 'string' ? [{ keyword: 'pattern', change: unformatted }] : []),
  ({ minimum }) => boundChange('minimum', minimum, -1),
  ({ maximum }) => boundChange('maximum', maximum, 1),
  ({ maxProperties }) => (typeof maxProperties === 'number' ? [extraMembers('maxProperties', maxProperties + 1)] : []),
  (schema) => (schema['additionalProperties'] === false ? [extraMembers('additionalProperties', 1)] : []),
];

/**
 * Returns a value of another type: a number for a string, a fraction for an integer, an object for null, and a text for
 * any other type. Returns a value that is not of this type unchanged.
 */
function ofOtherType(type: string, value: JsonValue): JsonValue {
  if (typeName(value) !== type && !(type === 'number' && typeof value === 'number')) return value;
  if (type === 'null') return { unexpected: true };
  if (type === 'integer') return typeof value === 'number' ? value + 0.5 : value;
  return type === 'string' ? 12_345 : 'text';
}

function typeName(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}

function getTypes(type: JsonValue | undefined): string[] {
  return typeof type === 'string' ? [type] : getTexts(type);
}

function getTexts(list: JsonValue | undefined): string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

function without(name: string): KeywordChange['change'] {
  return (value) => {
    if (!isJsonObject(value) || !(name in value)) return value;
    const { [name]: _gone, ...rest } = value;
    return rest;
  };
}

function unlisted(value: JsonValue): JsonValue {
  if (typeof value === 'boolean') return !value;
  return typeof value === 'string' ? `${value}_x` : value;
}

function unformatted(value: JsonValue): JsonValue {
  return typeof value === 'string' ? 'not of this form' : value;
}

function boundChange(keyword: string, bound: JsonValue | undefined, past: number): KeywordChange[] {
  if (typeof bound !== 'number') return [];
  return [{ keyword, change: (value) => (typeof value === 'number' ? bound + past : value) }];
}

function extraMembers(keyword: string, count: number): KeywordChange {
  const extra = Object.fromEntries(Array.from({ length: count }, (_none, at) => [`unexpected${at}`, 'text']));
  return { keyword, change: (value) => (isJsonObject(value) ? { ...value, ...extra } : value) };
}

/** Generation of a document in generated/openapi. */
export type Version = Route['version'];

/** Response schemas of a bundled OpenAPI document. Places are JSON pointers that begin with `#`. */
export interface BundledDocument {
  /** Places of response schemas by operation and status, such as `getSession 200`. */
  readonly answers: ReadonlyMap<string, string>;
  /**
   * Follows the references of the schema at a place. Returns the schema that they lead to, and the place of that
   * schema.
   */
  readonly schemaAt: (pointer: string) => readonly [pointer: string, schema: JsonObject];
}

const opened = new Map<Version, BundledDocument>();

/** Opens the bundled document of a generation. */
function bundledDocument(version: Version): BundledDocument {
  const known = opened.get(version);
  if (known !== undefined) return known;
  const whole: unknown = JSON.parse(readFileSync(`generated/openapi/${version}.json`, 'utf8'));
  const document = { answers: getAnswers(whole), schemaAt: (pointer: string) => referred(whole, pointer) };
  opened.set(version, document);
  return document;
}

/** Escapes a member's name as a segment of a JSON pointer. */
function pointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function getAnswers(whole: unknown): Map<string, string> {
  const operations = membersAt(whole, '#/paths').flatMap(([path]) => membersAt(whole, path));
  return new Map(
    operations.flatMap(([place, operation]) =>
      membersAt(whole, `${place}/responses`).flatMap(([response]) => {
        const [at] = referred(whole, response);
        const schema = `${at}/content/application~1json/schema`;
        const status = response.slice(response.lastIndexOf('/') + 1);
        const id = operation['operationId'];
        return typeof id !== 'string' || valueAt(whole, schema) === undefined
          ? []
          : [[`${id} ${status}`, schema] as const];
      }),
    ),
  );
}

/** Returns the members of the object at a place that are objects, each with its place. */
function membersAt(whole: unknown, pointer: string): (readonly [string, JsonObject])[] {
  const value = valueAt(whole, pointer);
  return Object.entries(isJsonObject(value) ? value : {}).flatMap(([name, member]) =>
    isJsonObject(member) ? [[`${pointer}/${pointerPart(name)}`, member] as const] : [],
  );
}

function referred(whole: unknown, pointer: string): readonly [string, JsonObject] {
  const found = valueAt(whole, pointer);
  if (!isJsonObject(found)) return [pointer, {}];
  const reference = found['$ref'];
  return typeof reference === 'string' ? referred(whole, reference) : [pointer, found];
}

function valueAt(whole: unknown, pointer: string): unknown {
  const parts = pointer.slice(2).split('/');
  return parts.reduce<unknown>((value, part) => {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  }, whole);
}
