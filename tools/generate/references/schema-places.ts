import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';

/** A text of a table, with what its schema says of it. */
export interface SchemaPlace {
  /** Member names and indexes from the top of the file. */
  readonly path: readonly (string | number)[];
  readonly word: string;
  /** Whether it is the name of a member whose names the schema does not list. */
  readonly isName: boolean;
  /** Whether the schema lists the words that are accepted. */
  readonly isEnumerated: boolean;
}

/** Returns every text of a table, and every name of a member that the schema leaves open. */
export function textPlaces(schema: JsonObject, table: JsonValue): SchemaPlace[] {
  return walk(schema, table, { path: [], schemas: [schema] });
}

interface Position {
  readonly path: SchemaPlace['path'];
  /** The schemas that may apply. */
  readonly schemas: readonly JsonValue[];
}

function walk(root: JsonObject, value: JsonValue, { path, schemas }: Position): SchemaPlace[] {
  const parts = schemas.flatMap((schema) => partsOf(root, schema));
  if (typeof value === 'string') return [{ path, word: value, isName: false, isEnumerated: parts.some(isEnumeration) }];
  if (Array.isArray(value)) {
    const items = parts.flatMap((part) => part['items'] ?? []);
    return value.flatMap((item, at) => walk(root, item, { path: [...path, at], schemas: items }));
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const listed = parts.flatMap((part) => (isJsonObject(part['properties']) ? (part['properties'][name] ?? []) : []));
    const others = parts.flatMap((part) => part['additionalProperties'] ?? []);
    const place = [...path, name];
    const below = walk(root, inner, { path: place, schemas: listed.length > 0 ? listed : others });
    if (listed.length > 0) return below;
    const isEnumerated = parts.flatMap((part) => partsOf(root, part['propertyNames'] ?? null)).some(isEnumeration);
    return [{ path: place, word: name, isName: true, isEnumerated }, ...below];
  });
}

/** A schema and all that it refers to and combines. */
function partsOf(root: JsonObject, schema: JsonValue): JsonObject[] {
  if (!isJsonObject(schema)) return [];
  const target = typeof schema['$ref'] === 'string' ? [pointed(root, schema['$ref'])] : [];
  const combined = ['allOf', 'anyOf', 'oneOf', 'then', 'else'].flatMap((keyword) => {
    const list = schema[keyword];
    return Array.isArray(list) ? list : (list ?? []);
  });
  return [schema, ...[...target, ...combined].flatMap((part) => partsOf(root, part))];
}

function pointed(root: JsonObject, reference: string): JsonValue {
  return reference
    .replace('#/', '')
    .split('/')
    .reduce((node: JsonValue, step) => (isJsonObject(node) ? (node[step] ?? null) : null), root);
}

function isEnumeration(schema: JsonObject): boolean {
  return 'enum' in schema || 'const' in schema;
}
