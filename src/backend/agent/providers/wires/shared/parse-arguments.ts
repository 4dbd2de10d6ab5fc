import { isJsonObject, type JsonObject } from '#domain/json.ts';

/** What a model wrote as arguments of a tool; null for what is no JSON object. No text at all is a call without arguments. */
export function parseArguments(text: string): JsonObject | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
