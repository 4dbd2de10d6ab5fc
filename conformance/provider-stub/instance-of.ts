import { type JsonObject, type JsonValue, isJsonObject } from '../harness/json.ts';

/** How deep a schema is followed; one that refers to itself ends there. */
const depthMax = 6;

/** A small value that a plain JSON Schema takes: its examples and words where it has some, `text` for any other text. */
export function instanceOf(schema: JsonValue | undefined, text: string, depth = 0): JsonValue {
  if (!isJsonObject(schema) || depth > depthMax) return text;
  const given = [schema['const'], first(schema['enum']), schema['default']].find((value) => value !== undefined);
  if (given !== undefined) return given;
  const choice = first(schema['anyOf']) ?? first(schema['oneOf']) ?? first(schema['allOf']);
  if (choice !== undefined) return instanceOf(choice, text, depth + 1);
  return ofType(typeOf(schema), schema, { text, depth });
}

function ofType(type: string, schema: JsonObject, { text, depth }: { text: string; depth: number }): JsonValue {
  if (type === 'object') return objectOf(schema, text, depth);
  if (type === 'array') {
    const count = Math.min(Number(schema['minItems'] ?? 0), 3);
    return Array.from({ length: count }, () => instanceOf(schema['items'], text, depth + 1));
  }
  if (type === 'integer' || type === 'number') return Number(schema['minimum'] ?? 1);
  if (type === 'boolean') return true;
  return type === 'null' ? null : text;
}

function objectOf({ properties, required }: JsonObject, text: string, depth: number): JsonObject {
  const known = isJsonObject(properties) ? properties : {};
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  return Object.fromEntries(names.map((name) => [name, instanceOf(known[name], text, depth + 1)]));
}

function typeOf({ type, properties }: JsonObject): string {
  const one = Array.isArray(type) ? first(type) : type;
  if (typeof one === 'string') return one.toLowerCase();
  return properties === undefined ? 'string' : 'object';
}

function first(list: JsonValue | undefined): JsonValue | undefined {
  return Array.isArray(list) ? list[0] : undefined;
}
