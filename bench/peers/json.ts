import { type JsonObject, isJsonObject } from '#lib/json.ts';

/** Returns an object itself, not a copy; returns an empty object for any other value. */
export function toObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Returns the objects of an array; empty for another value. */
export function toObjects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Returns a text unchanged; an empty string for any other value. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
