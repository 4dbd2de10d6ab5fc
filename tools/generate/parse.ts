import { type JsonObject, isJsonObject } from '#lib/json.ts';

/** Parses a JSON object. Throws a SyntaxError for invalid JSON, and an error with the file for any other value. */
export function parseJsonObject(text: string, file: string): JsonObject {
  return expectObject(JSON.parse(text), file);
}

/** Returns a value as a JSON object; throws an error that names the place `where` for any other value. */
export function expectObject(value: unknown, where: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new Error(`${where}: found ${JSON.stringify(value)?.slice(0, 80) ?? typeof value}, expected an object`);
}

/** Returns a value as a string; throws an error that names the place `where` for any other value. */
export function expectText(value: unknown, where: string): string {
  if (typeof value === 'string') return value;
  throw new Error(`${where}: found ${JSON.stringify(value)?.slice(0, 80) ?? typeof value}, expected text`);
}
