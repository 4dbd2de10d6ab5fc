import { isJsonObject, isWithin, type JsonObject } from '#lib/json.ts';

/** No tool has arguments of more; the text itself is bounded with the answer that it stands in. */
const bounds = { depth: 100, values: 10_000 };

/** What a model wrote as arguments of a tool; null for what is no JSON object. No text at all is a call without arguments. */
export function parseArguments(text: string): JsonObject | null {
  if (text.trim() === '') return {};
  if (!isWithin(Buffer.from(text), bounds)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
