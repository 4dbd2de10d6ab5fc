import { measureJson, suiteLimit } from './bounds.ts';

/** Any value that JSON can carry. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  [member: string]: JsonValue;
}

/** Returns true for a JSON object; false for null and for arrays. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Bounds for a parsed JSON text: a maximum nesting depth, which protects recursive code from a stack overflow, and any
 * number of values.
 */
const bounds = { depth: suiteLimit('suiteJsonDepth'), values: Number.POSITIVE_INFINITY };

/** Parses a JSON text; undefined if the text is not JSON or exceeds the nesting depth. */
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

/** Returns a value as text: text unchanged, any other value as JSON, undefined as an empty text. */
export function toText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value);
}

/**
 * Returns the member at a dotted path (`a.b`); undefined if a member on the path is missing, or lies in a value that is
 * no object.
 */
export function memberAt(value: JsonValue | undefined, path: string): JsonValue | undefined {
  return path
    .split('.')
    .reduce<JsonValue | undefined>(
      (current, name) => (isJsonObject(current) && Object.hasOwn(current, name) ? current[name] : undefined),
      value,
    );
}

/** Returns an id as text, from a non-empty text or a number; undefined for any other value. */
export function identifier(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns an object with one member at a dotted path: `('a.b', 1)` gives `{a: {b: 1}}`. */
export function objectWith(path: string, value: JsonValue): JsonObject {
  const [last = '', ...outer] = path.split('.').toReversed();
  return outer.reduce<JsonObject>((inner, name) => ({ [name]: inner }), { [last]: value });
}

/** Returns the JSON pointer of the member at a dotted path: `a.b` gives `/a/b`. */
export function pointerTo(path: string): string {
  return path
    .split('.')
    .map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

/** Returns the unescaped reference tokens of a JSON pointer; an empty list for the pointer to the whole document. */
export function splitPointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Returns the value at a JSON pointer; undefined if there is no such value. */
export function valueAtPointer(value: JsonValue | undefined, pointer: string): JsonValue | undefined {
  return splitPointer(pointer).reduce<JsonValue | undefined>((current, step) => {
    if (Array.isArray(current)) return current[Number(step)];
    return isJsonObject(current) && Object.hasOwn(current, step) ? current[step] : undefined;
  }, value);
}

/** Returns true if two values are the same JSON, in any order of object members. */
export function isSame(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  return canonicalText(left) === canonicalText(right);
}

/** Returns a value as JSON text with sorted object members; `null` for undefined. */
export function canonicalText(value: JsonValue | undefined): string {
  return JSON.stringify(sortMembers(value) ?? null);
}

function sortMembers(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((item) => sortMembers(item) ?? null);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).toSorted(([one], [two]) => (one < two ? -1 : 1));
  return Object.fromEntries(members.map(([name, inner]) => [name, sortMembers(inner) ?? null]));
}

/** Returns true if both lists contain the same JSON values, each the same number of times, in any order. */
export function sameSet(found: readonly JsonValue[], expected: readonly JsonValue[]): boolean {
  const sorted = (values: readonly JsonValue[]): string[] => values.map((value) => canonicalText(value)).toSorted();
  return JSON.stringify(sorted(found)) === JSON.stringify(sorted(expected));
}
