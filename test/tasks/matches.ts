import { isDeepStrictEqual } from 'node:util';

/**
 * Returns whether a value matches the expected value. Compares the members of the expected object, lists in full and in
 * order, and other values exactly.
 */
export function matches(expected: unknown, found: unknown): boolean {
  if (Array.isArray(expected)) {
    return (
      Array.isArray(found) && found.length === expected.length && expected.every((each, at) => matches(each, found[at]))
    );
  }
  if (!isObject(expected)) return isDeepStrictEqual(expected, found);
  return isObject(found) && Object.entries(expected).every(([name, each]) => matches(each, found[name]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
