import { type JsonObject, type JsonValue, isJsonObject, toText } from '#conformance/core/json.ts';
import { randomUuid } from '#conformance/core/random.ts';
import type { Generation } from '#conformance/core/target.ts';
import type { Draw } from '../draw.ts';
import { knownValue, type ValueParts } from './known-value.ts';
import { readDocuments } from '#conformance/core/documents.ts';
import { valueAt } from '#conformance/core/schemas.ts';

/** Maximum depth of generated values. */
const depthMax = 6;
const optionalShare = 0.3;

/**
 * Generates a value from a schema. For a member that {@link knownValue} knows, usually takes that value, whatever the
 * member's schema allows. Patterns and conditions between members may be violated. Other values deeper than `depthMax`
 * are null, except constants, listed values and examples.
 */
export function schemaValue(parts: ValueParts, schema: JsonObject, depth = 0): JsonValue {
  const { draw, generation } = parts;
  const resolved = resolveSchema(generation, schema);
  const { const: only, enum: listed, anyOf, oneOf, example } = resolved;
  if (only !== undefined) return only;
  if (Array.isArray(listed) && listed.length > 0) return draw.of(listed);
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices)) {
    const objects = choices.filter(isJsonObject);
    if (objects.length > 0) return schemaValue(parts, draw.of(objects), depth + 1);
  }
  if (example !== undefined && draw.chance(0.3)) return example;
  const maker = makers[getType(resolved, draw)];
  return maker === undefined || depth > depthMax ? null : maker(parts, resolved, depth);
}

function getType({ type, properties }: JsonObject, draw: Draw): string {
  if (typeof type === 'string') return type;
  if (Array.isArray(type) && type.length > 0) return toText(draw.of(type));
  return properties === undefined ? draw.of(['object', 'string', 'number', 'boolean', 'null']) : 'object';
}

const makers: Readonly<Record<string, (parts: ValueParts, schema: JsonObject, depth: number) => JsonValue>> = {
  object: objectValue,
  array(parts, { items, minItems, maxItems }, depth) {
    const least = numberOr(minItems, 0);
    const most = Math.min(numberOr(maxItems, least + 3), least + 3);
    return parts.draw.list([least, most], () => schemaValue(parts, isJsonObject(items) ? items : {}, depth + 1));
  },
  string: ({ draw }, schema) => textValue(draw, schema),
  integer: ({ draw }, schema) => Math.round(numberValue(draw, schema)),
  number: ({ draw }, schema) => numberValue(draw, schema),
  boolean: ({ draw }) => draw.chance(0.5),
};

function objectValue(parts: ValueParts, schema: JsonObject, depth: number): JsonValue {
  const { draw } = parts;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const value: JsonObject = {};
  for (const [name, member] of Object.entries(properties)) {
    if (!required.includes(name) && !draw.chance(optionalShare)) continue;
    value[name] =
      (draw.chance(0.7) ? knownValue(parts, name) : undefined) ??
      schemaValue(parts, isJsonObject(member) ? member : {}, depth + 1);
  }
  const { additionalProperties: more } = schema;
  if (isJsonObject(more))
    for (const name of draw.list([0, 3], () => `x${draw.below(99)}`)) value[name] = schemaValue(parts, more, depth + 1);
  return value;
}

function textValue(draw: Draw, { format, maxLength, minLength, pattern }: JsonObject): string {
  if (format === 'uuid') return randomUuid(draw.random);
  if (format === 'date-time' || (typeof pattern === 'string' && pattern.includes('T(')))
    return new Date(draw.between(1_600_000_000, 1_900_000_000) * 1000).toISOString();
  if (typeof pattern === 'string') return draw.of(['1', '0.5', 'a.example', 'text/plain', 'name', '*.example', '25']);
  const most = Math.min(numberOr(maxLength, 60), 300);
  const length = draw.between(Math.min(numberOr(minLength, 0), most), most);
  return 'Read the heading of the page, then say what it is. '.repeat(7).slice(0, length);
}

function numberValue(draw: Draw, { minimum, maximum, exclusiveMinimum }: JsonObject): number {
  const least = numberOr(minimum, numberOr(exclusiveMinimum, 0));
  const most = numberOr(maximum, least + 1000);
  return draw.of([least, most, least + (most - least) * draw.random(), Math.min(least + 1, most)]);
}

function numberOr(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

/** OpenAPI documents of all generations, read once because they never change. */
export const documents = readDocuments('openapi');

/**
 * Resolves the `$ref` of a schema or parameter and keeps its other members. Returns a schema without `$ref` unchanged.
 * If the reference leads to no object, returns the other members alone.
 */
export function resolveSchema(generation: Generation, schema: JsonObject): JsonObject {
  const { $ref: reference, ...beside } = schema;
  if (typeof reference !== 'string') return schema;
  const found = valueAt(documents[generation], reference.replace('#/', '').split('/'));
  return isJsonObject(found) ? resolveSchema(generation, { ...found, ...beside }) : beside;
}
