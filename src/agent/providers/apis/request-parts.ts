import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import type { ModelPart } from '../../model/model-call.ts';

/**
 * Adds the reasoning controls of the task to a request (contract 4, V4 modelParams). Merges members that are objects on
 * both sides; any other control replaces the member of the request.
 */
export function withControls<Body extends object>(body: Body, controls: JsonObject): Body {
  const merged = new Map<string, unknown>(Object.entries(body));
  for (const [name, value] of Object.entries(controls)) {
    const own = merged.get(name);
    merged.set(name, isJsonObject(own) && isJsonObject(value) ? withControls(own, value) : value);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what may stand in the controls was checked by the tables, which types do not know
  return Object.fromEntries(merged) as Body;
}

/** A picture of a message. */
export type ImagePart = Extract<ModelPart, { readonly kind: 'image' }>;

/** Returns the texts of all parts, each on a line of its own. */
export function joinTexts(parts: readonly ModelPart[]): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}

/** Returns the pictures among the parts of a message. */
export function getImages(parts: readonly ModelPart[]): readonly ImagePart[] {
  return parts.filter((part) => part.kind === 'image');
}

/** Returns the bytes of a picture as base64. */
export function getBase64({ bytes }: ImagePart): string {
  return Buffer.from(bytes).toString('base64');
}

/** Returns a picture as a data URL. */
export function getDataUrl(part: ImagePart): string {
  return `data:${part.mediaType};base64,${getBase64(part)}`;
}

/**
 * Adds an output schema as text to the system prompt, for a request that cannot contain the schema in the provider's
 * native way. Returns the prompt unchanged for null.
 */
export function withSchemaText(system: string, schema: JsonObject | null): string {
  if (schema === null) return system;
  return `${system}\n\nReply with nothing but a JSON value that conforms to this JSON Schema:\n${JSON.stringify(schema)}`;
}

/** JSON Schema subset of strict mode at OpenAI and compatible APIs. */
export const strictSchema: SchemaDialect = {
  keywords:
    'type title description properties required additionalProperties items enum const anyOf $defs $ref pattern format minimum maximum multipleOf exclusiveMinimum exclusiveMaximum minItems maxItems'.split(
      ' ',
    ),
  closed: true,
  allRequired: true,
};

/** JSON Schema subset of a provider. */
export interface SchemaDialect {
  readonly keywords: readonly string[];
  /** Whether the schema of every object must forbid additional members. */
  readonly closed: boolean;
  /** Whether the schema of every object must list all its members in `required`. */
  readonly allRequired: boolean;
}

/** Returns whether a schema is within a dialect. Its outermost type must be an object, as every provider requires. */
export function schemaFits(schema: JsonObject, dialect: SchemaDialect): boolean {
  return schema['type'] === 'object' && fits(schema, dialect);
}

function fits(schema: JsonValue, dialect: SchemaDialect): boolean {
  if (!isJsonObject(schema)) return false;
  if (!Object.keys(schema).every((keyword) => dialect.keywords.includes(keyword))) return false;
  return objectFits(schema, dialect) && getParts(schema).every((part) => fits(part, dialect));
}

function objectFits(schema: JsonObject, { closed, allRequired }: SchemaDialect): boolean {
  const { type, properties, required } = schema;
  if (type !== 'object' && !(Array.isArray(type) && type.includes('object')) && properties === undefined) return true;
  if (closed && schema['additionalProperties'] !== false) return false;
  const names = Object.keys(isJsonObject(properties) ? properties : {});
  return !allRequired || names.every((name) => Array.isArray(required) && required.includes(name));
}

/** Returns the subschemas below the keywords that dialects support. */
function getParts(schema: JsonObject): readonly JsonValue[] {
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
