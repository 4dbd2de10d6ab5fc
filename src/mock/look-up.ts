import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';

/** Follows names into a document, through local references such as `#/components/schemas/Session`; undefined for nothing. */
export function lookUp(document: JsonObject, names: readonly string[]): JsonValue | undefined {
  let found: JsonValue | undefined = document;
  for (const name of names) {
    if (!isJsonObject(found)) return undefined;
    found = follow(document, found[name]);
  }
  return found;
}

function follow(document: JsonObject, value: JsonValue | undefined): JsonValue | undefined {
  const reference = isJsonObject(value) ? value['$ref'] : undefined;
  return typeof reference === 'string' ? lookUp(document, reference.replace('#/', '').split('/')) : value;
}
