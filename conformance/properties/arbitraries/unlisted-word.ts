import * as fc from 'fast-check';

/** Made once: fast-check tries every character of a pattern with some dozen words when it reads it. */
const tails = fc.stringMatching(/^[a-z0-9]{1,6}$/);

/**
 * Text that a closed list does not have: invented words, and listed words in other letters or with a tail. Invented words
 * carry a prefix of ours, so that none can be a name that a service has added since.
 */
export function unlistedWord(listed: readonly string[]): fc.Arbitrary<string> {
  const [first = 'word', ...rest] = listed;
  const known = fc.constantFrom(first, ...rest);
  return fc
    .oneof(
      tails.map((tail) => `svc-unlisted-${tail}`),
      known.map((word) => word.toUpperCase()),
      known.map((word) => `${word}-unlisted`),
    )
    .filter((word) => !listed.includes(word));
}
