import { isJsonObject, isWithin, type JsonObject, type JsonValue } from '#lib/json.ts';
import type { ModelUsage } from '../../model/model-call.ts';

/** The objects of a list; none where the value is no list. What a provider sends may be anything. */
export function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The object that a value is; an empty one otherwise. */
export function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The text that a value is; empty otherwise. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The whole number of at least 0 that a value is; null otherwise. */
export function countOf(value: JsonValue | undefined): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** The members of an object that are named, as far as it has them. */
export function pick(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));
}

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

/** Figures of a provider as usage: the sum of each side; null where one of them is no whole number, which is as good as none. */
export function usageOf(input: readonly (number | null)[], output: readonly (number | null)[]): ModelUsage | null {
  const inputTokens = sum(input);
  const outputTokens = sum(output);
  return inputTokens === null || outputTokens === null ? null : { inputTokens, outputTokens };
}

function sum(counts: readonly (number | null)[]): number | null {
  let total = 0;
  for (const count of counts) {
    if (count === null) return null;
    total += count;
  }
  return total;
}
