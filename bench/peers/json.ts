import { type JsonObject, isJsonObject } from '#lib/json.ts';

/** Returns a JSON object unchanged (no copy); an empty object for any other value. */
export function toObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Returns the objects in an array; an empty list for any other value. */
export function toObjects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Returns a text unchanged; an empty string for any other value. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
