import * as fc from 'fast-check';
import type { JsonValue } from '../../core/json.ts';

/**
 * Text that no reader takes for a uuid, however tolerant: a uuid with a letter that is no hexadecimal digit, one that is
 * too short or too long, a number, a word. Safe in a path.
 */
export function malformedUuid(): fc.Arbitrary<string> {
  const foreign = fc.constantFrom('g', 'k', 'q', 'x', 'z');
  return fc.oneof(
    fc.constant('not-a-uuid'),
    fc.tuple(fc.uuid(), foreign).map(([uuid, letter]) => letter + uuid.slice(1)),
    fc.tuple(fc.uuid(), fc.integer({ min: 1, max: 12 })).map(([uuid, count]) => uuid.slice(0, -count)),
    fc.tuple(fc.uuid(), fc.constantFrom('0', 'f', '-1')).map(([uuid, tail]) => uuid + tail),
    fc.integer({ min: 1, max: 999_999 }).map(String),
  );
}

/** Made once, as in unlisted-word.ts. */
const twoLetters = fc.stringMatching(/^[a-z]{2}$/);

/** Lower-case letters that the list of country codes does not have; `gb` and `ci` are tried often, and longer words too. */
export function unlistedCountry(listed: readonly string[]): fc.Arbitrary<string> {
  return fc
    .oneof(fc.constantFrom('gb', 'ci', 'zz', 'xx'), twoLetters, fc.constantFrom('', 'usa', 'germany', 'us-ca'))
    .filter((code) => !listed.includes(code));
}

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

/** A listed country code with one or both letters in upper case. */
export function upperCaseCountry(listed: readonly string[]): fc.Arbitrary<string> {
  const [first = 'us', ...rest] = listed;
  return fc
    .constantFrom(first, ...rest)
    .chain((code) => fc.constantFrom(code.toUpperCase(), code.slice(0, 1).toUpperCase() + code.slice(1)));
}

/** What a member takes; `word` is a member of a closed list of texts. */
export type MemberType = 'string' | 'boolean' | 'object' | 'word';

/**
 * A value of a type that the member does not take. Values that a tolerant parser could read are left out: a number or a
 * boolean for a string, 0 and 1 for a boolean, a list of one for its only item, and null, which many parsers take for an
 * absent member. The contract does not forbid such tolerance, and what is read would be dispatched. A closed list has none of them in
 * any reading but null.
 */
export function wrongType(type: MemberType): fc.Arbitrary<JsonValue> {
  const list = fc.array(fc.integer(), { minLength: 2, maxLength: 3 });
  const object = fc.constant<JsonValue>({ unexpected: 'value' });
  const text = fc.constantFrom('', 'perhaps', 'svc-text', 'neither');
  const number = fc.integer({ min: 2, max: 1_000_000 });
  const values: Record<MemberType, fc.Arbitrary<JsonValue>> = {
    string: fc.oneof(list, object),
    boolean: fc.oneof(number, text, list, object),
    object: fc.oneof(number, text, list, fc.constant(true)),
    word: fc.oneof(number, fc.boolean(), list, object),
  };
  return values[type];
}
