import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import type { ModelPart } from '../../model/model-call.ts';

/**
 * A request with the reasoning controls of its task in it. They are forwarded as they are (contract 4, V4 modelParams), beside what the
 * request has in the same objects.
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

/** A picture among the parts. */
export type ImagePart = Extract<ModelPart, { readonly kind: 'image' }>;

/** The text of all parts, one below the other. */
export function textOfParts(parts: readonly ModelPart[]): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}

/** The pictures among the parts. */
export function imagesOf(parts: readonly ModelPart[]): readonly ImagePart[] {
  return parts.filter((part) => part.kind === 'image');
}

/** What a picture's bytes are on a wire of JSON. */
export function base64Of({ bytes }: ImagePart): string {
  return Buffer.from(bytes).toString('base64');
}

/** A picture as an address that holds it. */
export function dataUrlOf(part: ImagePart): string {
  return `data:${part.mediaType};base64,${base64Of(part)}`;
}

/** The system prompt of a request whose output schema the provider cannot be given in its own way. */
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
