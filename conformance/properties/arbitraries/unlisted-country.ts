import * as fc from 'fast-check';

/** Made once, as in unlisted-word.ts. */
const twoLetters = fc.stringMatching(/^[a-z]{2}$/);

/** Two lower-case letters that the list of country codes does not have; `gb` and `ci` are tried often. */
export function unlistedCountry(listed: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(fc.constantFrom('gb', 'ci', 'zz', 'xx'), twoLetters).filter((code) => !listed.includes(code));
}
