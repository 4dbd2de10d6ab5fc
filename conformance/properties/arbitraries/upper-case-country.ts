import * as fc from 'fast-check';

/** A listed country code with one or both letters in upper case. */
export function upperCaseCountry(listed: readonly string[]): fc.Arbitrary<string> {
  const [first = 'us', ...rest] = listed;
  return fc
    .constantFrom(first, ...rest)
    .chain((code) => fc.constantFrom(code.toUpperCase(), code.slice(0, 1).toUpperCase() + code.slice(1)));
}
