import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { textIn } from './places.ts';

/** The names of one operation and its parts that a rule table may refer to. */
export interface OperationNames {
  readonly version: string;
  readonly id: string;
  /** Names of path and query parameters. */
  readonly parameters: readonly string[];
  /** Names of the members of the request body. */
  readonly request: readonly string[];
  /** Returns the members of the bodies of success responses, or with `list` the members of the items of this list. */
  readonly answer: (list?: string) => readonly string[];
  /**
   * Returns the values of an enumerated member in the bodies of success responses, or with `list` in the items of this
   * list. Empty for a member without an enumeration.
   */
  readonly values: (member: string, list?: string) => readonly string[];
}

/** Returns the operations of one bundled document. */
export function documentOperations(version: string, document: JsonObject): OperationNames[] {
  return objects(document['paths']).flatMap((item) =>
    objects(item)
      .filter((operation) => typeof operation['operationId'] === 'string')
      .map((operation) => operationNames(document, { version, operation, shared: item['parameters'] })),
  );
}

interface Found {
  readonly version: string;
  readonly operation: JsonObject;
  /** Parameters that the path declares for all of its operations. */
  readonly shared: JsonValue | undefined;
}

function operationNames(document: JsonObject, { version, operation, shared }: Found): OperationNames {
  const bodies = Object.entries(member(operation, 'responses'))
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, response]) => contents(document, response));
  const items = (list?: string): JsonObject[] =>
    list === undefined ? bodies : bodies.flatMap((body) => properties(document, body, list)).flatMap(getItems);
  return {
    version,
    id: textIn(operation, 'operationId'),
    parameters: [...array(shared), ...array(operation['parameters'])].map((row) =>
      textIn(resolved(document, row), 'name'),
    ),
    request: contents(document, operation['requestBody']).flatMap((body) => memberNames(document, body)),
    answer: (list) => items(list).flatMap((body) => memberNames(document, body)),
    values: (name, list) =>
      items(list)
        .flatMap((body) => properties(document, body, name))
        .flatMap((schema) => enumeration(document, schema)),
  };
}

/** Returns the names of the members of a schema, including those of the schemas that it refers to and combines. */
export function memberNames(document: JsonObject, schema: JsonValue | undefined): string[] {
  return parts(document, schema).flatMap((part) => Object.keys(member(part, 'properties')));
}

/**
 * Returns the strings in `enum` and `const` of a schema, including those of the schemas that it refers to and combines.
 */
export function enumeration(document: JsonObject, schema: JsonValue | undefined): string[] {
  const words = parts(document, schema).flatMap((part) => [...array(part['enum']), part['const']]);
  return words.filter((word) => typeof word === 'string');
}

function properties(document: JsonObject, schema: JsonObject, name: string): JsonObject[] {
  return parts(document, schema)
    .map((part) => member(part, 'properties')[name])
    .filter((found) => found !== undefined)
    .flatMap((found) => parts(document, found));
}

function getItems(schema: JsonObject): JsonObject[] {
  return isJsonObject(schema['items']) ? [schema['items']] : [];
}

function contents(document: JsonObject, holder: JsonValue | undefined): JsonObject[] {
  return objects(resolved(document, holder)['content']).map((media) => member(media, 'schema'));
}

/** Returns the target of a reference, or the schema itself if it is no reference, and all schemas that it combines. */
function parts(document: JsonObject, schema: JsonValue | undefined): JsonObject[] {
  const whole = resolved(document, schema);
  const combined = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => array(whole[keyword]));
  return [whole, ...combined.flatMap((part) => parts(document, part))];
}

function resolved(document: JsonObject, value: JsonValue | undefined): JsonObject {
  if (!isJsonObject(value)) return {};
  const { $ref } = value;
  if (typeof $ref !== 'string') return value;
  return $ref
    .replace('#/', '')
    .split('/')
    .reduce((node, step) => member(node, step), document);
}

function member(value: JsonObject, name: string): JsonObject {
  const found = value[name];
  return isJsonObject(found) ? found : {};
}

function objects(value: JsonValue | undefined): JsonObject[] {
  return isJsonObject(value) ? Object.values(value).filter(isJsonObject) : [];
}

function array(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
