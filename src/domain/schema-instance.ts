import { type JsonObject, type JsonValue, isJsonObject } from './json.ts';

/** Limits of one generation: nesting of the schema, and schemas visited, both included. */
export interface InstanceBounds {
  /** @defaultValue 24 */
  readonly depthMax: number;
  /** @defaultValue 2000 */
  readonly partsMax: number;
}

const usualBounds: InstanceBounds = { depthMax: 24, partsMax: 2_000 };

/** Longest text and longest list that are made. */
const textMax = 1_000;
const entriesMax = 100;

/** Entries of a list without bounds. Deep lists get their minimum only, so that recursive schemas stay small. */
const usualEntries = 2;
const longListDepth = 6;

/** Keywords whose effect on a value is not computed: a schema that has one is filled by no value. */
const unsupported = [
  'not',
  'if',
  'contains',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'patternProperties',
  'propertyNames',
  '$dynamicRef',
  '$recursiveRef',
] as const;

/** A text of each format; a pattern beside one of them is assumed to describe the same texts. */
const texts: Readonly<Record<string, string>> = {
  date: '2026-03-14',
  'date-time': '2026-03-14T09:30:00Z',
  time: '09:30:00Z',
  duration: 'PT30M',
  email: 'ada@example.com',
  'idn-email': 'ada@example.com',
  hostname: 'example.com',
  'idn-hostname': 'example.com',
  ipv4: '192.0.2.7',
  ipv6: '2001:db8::7',
  uri: 'https://example.com/items/1',
  'uri-reference': 'https://example.com/items/1',
  iri: 'https://example.com/items/1',
  url: 'https://example.com/items/1',
  uuid: '3f0c2b8e-5d1a-4c57-9e0b-6a7d2f1c8b90',
};

/**
 * Returns a value that conforms to a JSON Schema, the same one each time; undefined where none was found within the bounds or where a
 * keyword is not supported (a `pattern` without a known format among them). Evaluates no pattern and follows local references only.
 */
export function schemaInstance(schema: JsonValue, bounds: InstanceBounds = usualBounds): JsonValue | undefined {
  return new Generator(schema, bounds).make(schema, { name: '', depth: 0, index: 0 });
}

/** The position of a value. */
interface Place {
  /** Name of the member; empty for the whole. */
  readonly name: string;
  readonly depth: number;
  /** Position in a list whose entries have to differ; 0 elsewhere. */
  readonly index: number;
}

class Generator {
  readonly #root: JsonValue;
  readonly #bounds: InstanceBounds;
  #parts = 0;

  constructor(root: JsonValue, bounds: InstanceBounds) {
    this.#root = root;
    this.#bounds = bounds;
  }

  make(schema: JsonValue | undefined, place: Place): JsonValue | undefined {
    this.#parts += 1;
    if (place.depth > this.#bounds.depthMax || this.#parts > this.#bounds.partsMax) return undefined;
    if (schema === true || schema === undefined) return 'text';
    if (!isJsonObject(schema) || unsupported.some((keyword) => Object.hasOwn(schema, keyword))) return undefined;
    const deeper = { ...place, depth: place.depth + 1 };
    const { $ref, allOf, anyOf, oneOf } = schema;
    if ($ref !== undefined) return this.make(this.#merged([this.#target($ref), schemaWithout(schema, '$ref')]), deeper);
    if (Array.isArray(allOf)) return this.make(this.#merged([...allOf, schemaWithout(schema, 'allOf')]), deeper);
    if (Array.isArray(anyOf)) return this.#first(anyOf, schemaWithout(schema, 'anyOf'), deeper);
    if (Array.isArray(oneOf))
      return areApart(oneOf, (branch) => this.#resolved(branch))
        ? this.#first(oneOf, schemaWithout(schema, 'oneOf'), deeper)
        : undefined;
    return this.#plain(schema, place);
  }

  /** The value of the first alternative that has one; null only where no other alternative has one. */
  #first(branches: readonly JsonValue[], rest: JsonObject, place: Place): JsonValue | undefined {
    let found: JsonValue | undefined;
    for (const branch of branches) {
      const value = this.make(this.#merged([branch, rest]), place);
      if (value !== undefined && value !== null) return value;
      found ??= value;
    }
    return found;
  }

  #plain(schema: JsonObject, place: Place): JsonValue | undefined {
    const types = typesOf(schema);
    const words = wordsOf(schema);
    if (words !== null) {
      const allowed = words.filter(
        (word) => (types === null || types.some((type) => isOfType(type, word))) && isWord(schema, word),
      );
      const filled = allowed.filter((word) => word !== null);
      return filled.length > 0 ? filled[place.index % filled.length] : allowed[0];
    }
    for (const type of (types ?? [impliedType(schema)]).toSorted(nullLast)) {
      const value = this.#ofType(type, schema, place);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  #ofType(type: string, schema: JsonObject, place: Place): JsonValue | undefined {
    switch (type) {
      case 'object':
        return this.#object(schema, place);
      case 'array':
        return this.#array(schema, place);
      case 'string':
        return textFor(schema, place);
      case 'integer':
        return numberFor(schema, { step: 1, index: place.index });
      case 'number':
        return numberFor(schema, { step: null, index: place.index });
      case 'boolean':
        return place.index % 2 === 0;
      case 'null':
        return null;
      default:
        return undefined;
    }
  }

  #object(schema: JsonObject, { depth, index }: Place): JsonObject | undefined {
    const properties = objectOf(schema['properties']);
    const required = listOf(schema['required']).map(String);
    const made = new Map<string, JsonValue>();
    // Required members first: they have to exist when the bound is reached.
    for (const name of new Set([...required, ...Object.keys(properties)])) {
      const isKnown = Object.hasOwn(properties, name);
      const inner = isKnown ? properties[name] : schema['additionalProperties'];
      const value = this.make(inner, { name, depth: depth + 1, index });
      if (value !== undefined) made.set(name, value);
      else if (required.includes(name)) return undefined;
    }
    const most = numberOr(schema['maxProperties'], Number.POSITIVE_INFINITY);
    const names = [...new Set([...Object.keys(properties), ...required])].filter((name) => made.has(name));
    const kept = names.length > most ? names.filter((name) => required.includes(name)) : names;
    if (kept.length > most || kept.length < numberOr(schema['minProperties'], 0)) return undefined;
    return Object.fromEntries(kept.map((name) => [name, made.get(name) ?? null]));
  }

  #array(schema: JsonObject, { name, depth, index }: Place): JsonValue[] | undefined {
    const least = numberOr(schema['minItems'], 0);
    const most = Math.min(numberOr(schema['maxItems'], entriesMax), entriesMax);
    const first = listOf(schema['prefixItems']);
    const wanted = Math.max(least, depth > longListDepth ? 0 : Math.max(usualEntries, first.length));
    const differ = schema['uniqueItems'] === true;
    const made: JsonValue[] = [];
    const seen = new Set<string>();
    for (let entry = 0; entry < Math.min(wanted, most); entry += 1) {
      const inner = entry < first.length ? first[entry] : schema['items'];
      if (inner === false) break;
      const place = { name: name.replace(/s$/, ''), depth: depth + 1, index: differ ? entry : index };
      const value = this.make(inner, place);
      if (value === undefined || (differ && seen.has(JSON.stringify(value)))) break;
      seen.add(JSON.stringify(value));
      made.push(value);
    }
    return made.length < least ? undefined : made;
  }

  /** All parts in one schema; false where two parts say different things that are not combined here. */
  #merged(parts: readonly (JsonValue | undefined)[]): JsonValue {
    let sum: JsonObject = {};
    for (const part of parts) {
      if (part === true) continue;
      if (!isJsonObject(part)) return false;
      const next = combined(sum, part);
      if (next === null) return false;
      sum = next;
    }
    return sum;
  }

  #resolved(schema: JsonValue): JsonValue {
    const reference = isJsonObject(schema) ? schema['$ref'] : undefined;
    return reference === undefined ? schema : (this.#target(reference) ?? false);
  }

  /** The part of the schema that a reference such as `#/$defs/Item` names; undefined for any other reference. */
  #target(reference: JsonValue): JsonValue | undefined {
    if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) return undefined;
    let found: JsonValue | undefined = this.#root;
    for (const step of reference.split('/').slice(1)) {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
      if (Array.isArray(found)) found = found[Number(name)];
      else found = isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
    }
    return found;
  }
}

/** Keywords that describe and do not judge: the later part counts. */
const notes = [
  'title',
  'description',
  'default',
  'examples',
  'example',
  '$schema',
  '$id',
  '$defs',
  'definitions',
  '$comment',
];

/** Both parts in one; null where a keyword differs and has no rule, or judges members and entries that the other part names. */
function combined(one: JsonObject, other: JsonObject): JsonObject | null {
  if (closes(one, other) || closes(other, one)) return null;
  const sum: Record<string, JsonValue> = { ...one };
  for (const [keyword, value] of Object.entries(other)) {
    const known = Object.hasOwn(one, keyword) ? one[keyword] : undefined;
    const both = known === undefined || notes.includes(keyword) ? value : combinedKeyword(keyword, known, value);
    if (both === undefined) return null;
    sum[keyword] = both;
  }
  return sum;
}

/** Tells whether one part judges members or entries that only the other part describes. */
function closes(one: JsonObject, other: JsonObject): boolean {
  const { additionalProperties = true } = one;
  const known = objectOf(one['properties']);
  const isClosed = additionalProperties !== true;
  if (isClosed && Object.keys(objectOf(other['properties'])).some((name) => !Object.hasOwn(known, name))) return true;
  return one['items'] !== undefined && other['prefixItems'] !== undefined && one['prefixItems'] === undefined;
}

function combinedKeyword(keyword: string, one: JsonValue, other: JsonValue): JsonValue | undefined {
  if (isSame(one, other)) return one;
  switch (keyword) {
    case 'properties': {
      const [first, second] = [objectOf(one), objectOf(other)];
      const shared = Object.keys(second).filter((name) => Object.hasOwn(first, name));
      return {
        ...first,
        ...second,
        ...Object.fromEntries(shared.map((name) => [name, { allOf: both(first, second, name) }])),
      };
    }
    case 'required':
      return [...new Set([...listOf(one), ...listOf(other)])];
    case 'allOf':
      return [...listOf(one), ...listOf(other)];
    case 'minimum':
    case 'exclusiveMinimum':
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return typeof one === 'number' && typeof other === 'number' ? Math.max(one, other) : undefined;
    case 'maximum':
    case 'exclusiveMaximum':
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return typeof one === 'number' && typeof other === 'number' ? Math.min(one, other) : undefined;
    case 'enum':
      return listOf(one).filter((value) =>
        listOf(other).some((word) => JSON.stringify(word) === JSON.stringify(value)),
      );
    default:
      return undefined;
  }
}

function both(first: JsonObject, second: JsonObject, name: string): JsonValue[] {
  return [first[name] ?? true, second[name] ?? true];
}

/** Tells whether no value fits two of the alternatives: their types differ, or a required member of each has its own words. */
function areApart(branches: readonly JsonValue[], resolved: (branch: JsonValue) => JsonValue): boolean {
  const schemas = branches.slice(0, entriesMax).map(resolved);
  return (
    branches.length <= entriesMax &&
    schemas.every((one, at) => schemas.slice(at + 1).every((other) => isApart(one, other)))
  );
}

function isApart(one: JsonValue, other: JsonValue): boolean {
  if (!isJsonObject(one) || !isJsonObject(other)) return one === false || other === false;
  const [types, others] = [typesOf(one), typesOf(other)];
  if (types !== null && others !== null && !types.some((type) => others.some((second) => overlap(type, second))))
    return true;
  const [words, otherWords] = [wordsOf(one), wordsOf(other)];
  if (words !== null && otherWords !== null) return areDisjoint(words, otherWords);
  return listOf(one['required']).some((name) => {
    if (typeof name !== 'string' || !listOf(other['required']).includes(name)) return false;
    const [mine, theirs] = [objectOf(one['properties'])[name], objectOf(other['properties'])[name]];
    const [first, second] = [wordsOf(mine), wordsOf(theirs)];
    return first !== null && second !== null && areDisjoint(first, second);
  });
}

function overlap(one: string, other: string): boolean {
  return one === other || (['integer', 'number'].includes(one) && ['integer', 'number'].includes(other));
}

/** The values that a schema lists; null where it lists none. */
function wordsOf(schema: JsonValue | undefined): readonly JsonValue[] | null {
  if (!isJsonObject(schema)) return null;
  const words = Array.isArray(schema['enum']) ? schema['enum'] : null;
  const constant = schema['const'];
  if (constant === undefined) return words;
  return words === null || words.some((word) => isSame(word, constant)) ? [constant] : [];
}

function areDisjoint(one: readonly JsonValue[], other: readonly JsonValue[]): boolean {
  return one.every((word) => !other.some((second) => isSame(word, second)));
}

function isSame(one: JsonValue, other: JsonValue): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Tells whether a listed value keeps the bounds beside the list. Lists and objects keep none that is computed here. */
function isWord(schema: JsonObject, word: JsonValue): boolean {
  if (typeof word === 'number') return isWithin(schema, word);
  if (typeof word === 'string') {
    const length = [...word].length;
    return (
      schema['pattern'] === undefined &&
      schema['format'] === undefined &&
      length >= numberOr(schema['minLength'], 0) &&
      length <= numberOr(schema['maxLength'], Number.POSITIVE_INFINITY)
    );
  }
  if (word === null || typeof word === 'boolean') return true;
  return !structural.some((keyword) => Object.hasOwn(schema, keyword));
}

/** Keywords that judge the parts of lists and objects. */
const structural = [
  'properties',
  'required',
  'additionalProperties',
  'minProperties',
  'maxProperties',
  'items',
  'prefixItems',
  'minItems',
  'maxItems',
  'uniqueItems',
];

function isWithin(schema: JsonObject, value: number): boolean {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = schema;
  return (
    value >= numberOr(minimum, Number.NEGATIVE_INFINITY) &&
    value > numberOr(exclusiveMinimum, Number.NEGATIVE_INFINITY) &&
    value <= numberOr(maximum, Number.POSITIVE_INFINITY) &&
    value < numberOr(exclusiveMaximum, Number.POSITIVE_INFINITY) &&
    (typeof multipleOf !== 'number' || Number.isInteger(value / multipleOf))
  );
}

function textFor(schema: JsonObject, { name, index }: Place): string | undefined {
  const { format, pattern } = schema;
  const least = numberOr(schema['minLength'], 0);
  const most = numberOr(schema['maxLength'], textMax);
  const ofFormat = typeof format === 'string' ? texts[format] : undefined;
  if (ofFormat !== undefined) return ofFormat.length >= least && ofFormat.length <= most ? ofFormat : undefined;
  if (pattern !== undefined || least > textMax || least > most) return undefined;
  const words = index === 0 ? name || 'text' : `${index} ${name}`;
  const text = /^[\x20-\x7e]*$/.test(words) ? words : 'text';
  return text.slice(0, most).padEnd(least, '.');
}

/** A small number within the bounds; whole where `step` is 1. */
function numberFor(
  schema: JsonObject,
  { step, index }: { readonly step: 1 | null; readonly index: number },
): number | undefined {
  const multiple = schema['multipleOf'];
  const unit = typeof multiple === 'number' && multiple > 0 ? multiple : 1;
  if (step === 1 && !Number.isInteger(unit)) return undefined;
  const lowest = Math.max(
    numberOr(schema['minimum'], Number.NEGATIVE_INFINITY),
    numberOr(schema['exclusiveMinimum'], Number.NEGATIVE_INFINITY),
  );
  const highest = Math.min(
    numberOr(schema['maximum'], Number.POSITIVE_INFINITY),
    numberOr(schema['exclusiveMaximum'], Number.POSITIVE_INFINITY),
  );
  const start = 1 >= lowest && 1 <= highest ? 1 : lowest > 1 ? lowest : highest;
  const base = Math.round(start / unit);
  const near = [base, base + 1, base - 1].map((count) => (count + index) * unit);
  const found = near.find((value) => isWithin(schema, value));
  if (found !== undefined || step === 1 || typeof multiple === 'number') return found;
  return [(lowest + highest) / 2, lowest, highest].find((value) => Number.isFinite(value) && isWithin(schema, value));
}

function typesOf({ type }: JsonObject): string[] | null {
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((one) => typeof one === 'string') : null;
}

function isOfType(type: string, value: JsonValue): boolean {
  if (value === null) return type === 'null';
  if (Array.isArray(value)) return type === 'array';
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

/** The type that the keywords of a schema without one speak of. */
function impliedType(schema: JsonObject): string {
  const has = (...keywords: readonly string[]): boolean => keywords.some((keyword) => Object.hasOwn(schema, keyword));
  if (has('properties', 'required', 'additionalProperties', 'minProperties')) return 'object';
  if (has('items', 'prefixItems', 'minItems')) return 'array';
  return has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf') ? 'number' : 'string';
}

function nullLast(one: string, other: string): number {
  return Number(one === 'null') - Number(other === 'null');
}

function schemaWithout(schema: JsonObject, keyword: string): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== keyword));
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function numberOr(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
