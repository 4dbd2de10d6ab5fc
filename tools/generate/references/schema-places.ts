import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';

/** A string of a table, with facts from its schema. */
export interface SchemaPlace {
  /** Path of the string: member names and indexes from the root of the file. */
  readonly path: readonly (string | number)[];
  readonly word: string;
  /** Whether the string is the name of a member that the schema does not list; otherwise the string is a value. */
  readonly isName: boolean;
  /** Whether the schema enumerates the accepted words. */
  readonly isEnumerated: boolean;
}

/** Returns every string value of a table, and every member name that the schema does not list. */
export function textPlaces(schema: JsonObject, table: JsonValue): SchemaPlace[] {
  return walk(schema, table, { path: [], schemas: [schema] });
}

interface Position {
  readonly path: SchemaPlace['path'];
  /** Schemas that may apply to the value at the path. */
  readonly schemas: readonly JsonValue[];
}

function walk(root: JsonObject, value: JsonValue, { path, schemas }: Position): SchemaPlace[] {
  const parts = schemas.flatMap((schema) => getParts(root, schema));
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
    const isEnumerated = parts.flatMap((part) => getParts(root, part['propertyNames'] ?? null)).some(isEnumeration);
    return [{ path: place, word: name, isName: true, isEnumerated }, ...below];
  });
}

/** Returns a schema and all schemas that it refers to or combines. */
function getParts(root: JsonObject, schema: JsonValue): JsonObject[] {
  if (!isJsonObject(schema)) return [];
  const target = typeof schema['$ref'] === 'string' ? [pointed(root, schema['$ref'])] : [];
  const combined = ['allOf', 'anyOf', 'oneOf', 'then', 'else'].flatMap((keyword) => {
    const list = schema[keyword];
    return Array.isArray(list) ? list : (list ?? []);
  });
  return [schema, ...[...target, ...combined].flatMap((part) => getParts(root, part))];
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
