import * as fc from 'fast-check';

/** Words that servers often corrupt: other scripts, quotes, markup, escapes, and reserved words of programs. */
const words = [
  'Ünïcødé',
  '漢字かな',
  'العربية',
  '🙂👍🏽',
  '"quoted"',
  "it's",
  'back\\slash',
  '<b>&amp;</b>',
  '%20+',
  '{{name}}',
  '${name}',
  'null',
  '007',
  'a/b',
] as const;

/** Generates valid text that a faulty server may alter. It never begins or ends with a space. */
export function unusualText(): fc.Arbitrary<string> {
  return fc.shuffledSubarray([...words], { minLength: 1, maxLength: 3 }).map((chosen) => chosen.join(' '));
}

/** Generates a text that contains all unusual words in random order, about a hundred characters. */
export function everyUnusualWord(): fc.Arbitrary<string> {
  return fc.shuffledSubarray([...words], { minLength: words.length }).map((chosen) => chosen.join(' '));
}
