import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';

/** What a provider takes of JSON Schema. */
export interface SchemaDialect {
  readonly keywords: readonly string[];
  /** Whether every object has to say that it has no other members. */
  readonly closed: boolean;
  /** Whether every object has to require all its members. */
  readonly allRequired: boolean;
}

/** Whether a schema stays within a dialect, in all its parts. Its outermost type has to be an object, which no provider takes otherwise. */
export function schemaFits(schema: JsonObject, dialect: SchemaDialect): boolean {
  return schema['type'] === 'object' && fits(schema, dialect);
}

function fits(schema: JsonValue, dialect: SchemaDialect): boolean {
  if (!isJsonObject(schema)) return false;
  if (!Object.keys(schema).every((keyword) => dialect.keywords.includes(keyword))) return false;
  return objectFits(schema, dialect) && partsOf(schema).every((part) => fits(part, dialect));
}

function objectFits(schema: JsonObject, { closed, allRequired }: SchemaDialect): boolean {
  const { type, properties, required } = schema;
  if (type !== 'object' && !(Array.isArray(type) && type.includes('object')) && properties === undefined) return true;
  if (closed && schema['additionalProperties'] !== false) return false;
  const names = Object.keys(isJsonObject(properties) ? properties : {});
  return !allRequired || names.every((name) => Array.isArray(required) && required.includes(name));
}

/** The schemas within a schema, by the keywords that the dialects know. */
function partsOf(schema: JsonObject): readonly JsonValue[] {
  const many = ['properties', '$defs'].flatMap((keyword) => {
    const value = schema[keyword];
    return isJsonObject(value) ? Object.values(value) : [];
  });
  const lists = ['anyOf', 'oneOf', 'prefixItems'].flatMap((keyword) => {
    const value = schema[keyword];
    return Array.isArray(value) ? value : [];
  });
  const single = ['items', 'additionalProperties'].flatMap((keyword) => {
    const value = schema[keyword];
    return value === undefined || typeof value === 'boolean' ? [] : [value];
  });
  return [...many, ...lists, ...single];
}
