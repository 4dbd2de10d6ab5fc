import { measureJson, suiteLimit } from './bounds.ts';

/** Any value that JSON can carry. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  [member: string]: JsonValue;
}

/** True for a JSON object; false for null and for arrays. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Nesting that the suite reads: code that calls itself for each level would otherwise run out of stack. */
const bounds = { depth: suiteLimit('suiteJsonDepth'), values: Number.POSITIVE_INFINITY };

/** The JSON value of a text, or undefined when the text is not JSON or is nested too deep. */
export function parseJson(text: string): JsonValue | undefined {
  if (measureJson(text, bounds).depth > bounds.depth) return undefined;
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A value as text: text stays as it is, everything else becomes JSON; empty for nothing. */
export function textOf(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value);
}

/** The member at a dotted path (`a.b`), or undefined when a step is missing. */
export function memberAt(value: JsonValue | undefined, path: string): JsonValue | undefined {
  return path
    .split('.')
    .reduce<JsonValue | undefined>(
      (current, name) => (isJsonObject(current) && Object.hasOwn(current, name) ? current[name] : undefined),
      value,
    );
}

/** An id as text: text that is not empty, or a number; undefined for anything else. */
export function identifier(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** An object with one member at a dotted path: `('a.b', 1)` gives `{a: {b: 1}}`. */
export function objectWith(path: string, value: JsonValue): JsonObject {
  const [last = '', ...outer] = path.split('.').toReversed();
  return outer.reduce<JsonObject>((inner, name) => ({ [name]: inner }), { [last]: value });
}
