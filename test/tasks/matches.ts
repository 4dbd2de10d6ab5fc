import { isDeepStrictEqual } from 'node:util';

/**
 * Returns true if a value matches the expected value. Of an object, only the expected members are compared; a list must
 * have the same items in the same order; any other value must be equal.
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
