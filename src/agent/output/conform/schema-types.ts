import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';

/** The JSON Schema type that a place is filled with: the one that the proposal has when it is allowed, else null, else the first. */
export function typeFor(schema: JsonObject, proposal: JsonValue | undefined): string {
  const types = typesOf(schema);
  return types.find((type) => fits(type, proposal)) ?? types.find(isNull) ?? types[0] ?? typeName(proposal);
}

/** Whether an alternative of a schema has room for "not known". */
export function acceptsNull(schema: JsonValue): boolean {
  return isJsonObject(schema) && typesOf(schema).some(isNull);
}

/** Whether a value is of a JSON Schema type; nothing is of no type. */
export function fits(type: string, value: JsonValue | undefined): boolean {
  if (value === undefined) return false;
  return typeName(value) === type || (type === 'integer' && Number.isInteger(value));
}

/** Whether an alternative of a schema has room for a value, as far as its type and enum tell. */
export function accepts(schema: JsonValue, value: JsonValue | undefined): boolean {
  if (!isJsonObject(schema)) return schema === true;
  if (Array.isArray(schema['enum'])) return schema['enum'].includes(value ?? null);
  return typesOf(schema).some((type) => fits(type, value));
}

function typesOf(schema: JsonObject): string[] {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.filter((one) => typeof one === 'string');
  if ('properties' in schema || 'required' in schema) return ['object'];
  return 'items' in schema ? ['array'] : [];
}

function isNull(type: string): boolean {
  return type === 'null';
}

function typeName(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
