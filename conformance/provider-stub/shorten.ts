import { type JsonValue, isJsonObject } from '../harness/json.ts';

/** Longest text that is kept whole, in characters: goals fit, pages and pictures do not. */
const textMax = 600;

/** A copy in which long texts are cut: a recording is for reading. */
export function shorten(value: JsonValue): JsonValue {
  if (typeof value === 'string')
    return value.length <= textMax ? value : `${value.slice(0, textMax)}… (${value.length} characters)`;
  if (Array.isArray(value)) return value.map((item) => shorten(item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shorten(item)]));
}
