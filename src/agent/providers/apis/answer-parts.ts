import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import { isWithin } from '#lib/json-size.ts';
import type { ModelUsage } from '../../model/model-call.ts';

/** Returns the objects of an array; empty for any other value. Responses of providers are untrusted. */
export function getObjects(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Returns a value if it is an object, else an empty object. */
export function getObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Returns a value if it is a string, else an empty string. */
export function getText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Largest number of tokens of one call that is believed; models have contexts of at most 2,000,000 tokens. */
const countMax = 10_000_000;

/** Returns a value if it is an integer from 0 to `countMax`, else null. */
export function getCount(value: JsonValue | undefined): number | null {
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= countMax;
  return isCount ? value : null;
}

/** Returns the named members that an object has. */
export function pick(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));
}

/** Structure limits of a tool's arguments. The byte limit of a response also limits the length of the arguments. */
const bounds = { depth: 100, values: 10_000 };

/**
 * Parses the arguments of a tool call. Returns null for anything but a JSON object, and beyond the structure limits; an
 * empty object for an empty text.
 */
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

/**
 * Returns usage with the sum of the input counts and the sum of the output counts; null when a count is missing or
 * invalid.
 */
export function getUsage(input: readonly (number | null)[], output: readonly (number | null)[]): ModelUsage | null {
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
