import * as fc from 'fast-check';

/** Made once, as in unlisted-word.ts. */
const twoLetters = fc.stringMatching(/^[a-z]{2}$/);

/** Lower-case letters that the list of country codes does not have; `gb` and `ci` are tried often, and longer words too. */
export function unlistedCountry(listed: readonly string[]): fc.Arbitrary<string> {
  return fc
    .oneof(fc.constantFrom('gb', 'ci', 'zz', 'xx'), twoLetters, fc.constantFrom('', 'usa', 'germany', 'us-ca'))
    .filter((code) => !listed.includes(code));
}
