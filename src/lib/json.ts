/** Any value that JSON can carry. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [member: string]: JsonValue };

/** A JSON object. */
export type JsonObject = { [member: string]: JsonValue };

/** Whether a value read from outside is a JSON object (not null, not an array). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
