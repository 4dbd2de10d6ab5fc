import { type JsonObject, isJsonObject } from '#lib/json.ts';

/** Parses text that has to be a JSON object; the error names the file. */
export function parseJsonObject(text: string, file: string): JsonObject {
  return expectObject(JSON.parse(text), file);
}

/** Narrows a value to a JSON object or throws an error that says where it stands. */
export function expectObject(value: unknown, where: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new Error(`${where}: found ${JSON.stringify(value)?.slice(0, 80) ?? typeof value}, expected an object`);
}

/** Narrows a value to text or throws an error that says where it stands. */
export function expectText(value: unknown, where: string): string {
  if (typeof value === 'string') return value;
  throw new Error(`${where}: found ${JSON.stringify(value)?.slice(0, 80) ?? typeof value}, expected text`);
}
