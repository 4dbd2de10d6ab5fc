import * as fc from 'fast-check';

/** Words that servers have lost: other scripts, quotes, markup, escapes, and words that mean something to programs. */
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

/** Text that is legal wherever text is, and that a careless server changes. It never begins or ends with a blank. */
export function unusualText(): fc.Arbitrary<string> {
  return fc.shuffledSubarray([...words], { minLength: 1, maxLength: 3 }).map((chosen) => chosen.join(' '));
}

/** Such a text with every word that there is, in any order: about a hundred characters. */
export function everyUnusualWord(): fc.Arbitrary<string> {
  return fc.shuffledSubarray([...words], { minLength: words.length }).map((chosen) => chosen.join(' '));
}
