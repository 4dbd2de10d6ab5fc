import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';

/** What a reference of the document stands for; any other value is answered as it is. */
export function follow(document: JsonObject, value: JsonValue | undefined): JsonObject {
  const reference = isJsonObject(value) ? value['$ref'] : undefined;
  if (typeof reference !== 'string') return isJsonObject(value) ? value : {};
  let found: JsonValue | undefined = document;
  for (const part of reference.replace('#/', '').split('/')) found = isJsonObject(found) ? found[part] : undefined;
  return isJsonObject(found) ? found : {};
}

/** Whether the schema describes a value at that JSON pointer, for example `/items/0/id`. */
export function describes(document: JsonObject, schema: JsonValue | undefined, pointer: string): boolean {
  const parts = pointer.split('/').slice(1);
  let places = alternatives(document, schema);
  for (const part of parts) places = places.flatMap((place) => below(document, place, part));
  return places.length > 0;
}

/** The schema itself and every part that it is composed of. */
function alternatives(document: JsonObject, value: JsonValue | undefined): JsonObject[] {
  if (!isJsonObject(value)) return [];
  const schema = follow(document, value);
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => {
    const list = schema[keyword];
    return Array.isArray(list) ? list : [];
  });
  return [schema, ...parts.flatMap((part) => alternatives(document, part))];
}

function below(document: JsonObject, schema: JsonObject, part: string): JsonObject[] {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  return alternatives(document, /^\d+$/.test(part) ? schema['items'] : properties[part]);
}
