import type { Draw } from '../draw.ts';

/** Units whose repetition is hard for parsers and regular expressions. */
const units = [
  [' ', '\n', '\t', '\r\n', '\u00a0', '\u3000', '+', '+ ', 'a', 'aa', 'ab', 'aA', '0', '9', '1e', '-', '_', '.', '..'],
  ['"', "'", '“', '\\', '\\"', '<', '</', '<a ', '<!--', '<b>', '&', '&amp', '&amp;', '&#', '&#x', '%', '%2', '%00'],
  [
    '/',
    '../',
    '//',
    '{',
    '}',
    '{}',
    '[',
    ']',
    '[]',
    '(',
    '((',
    ')',
    '(a',
    'a@',
    '@',
    'a.',
    'a-',
    '=',
    '= ',
    ': ',
    '; ',
  ],
  ['\u0301', 'e\u0301', '\u200d', '👨‍👩‍👧‍👦', 'ß', 'İ', 'ﷺ', '\u202e', '\ufeff', '\ud800', '漢', '\u0000', '\u2028'],
  ['and ', ', and ', 'then ', '. ', '! ', 'the ', 'to the ', 'open ', 'https://', 'https://a.example/ ', 'http://a'],
  ["secret 'a' ", '<secret:a>', '<secret:', 'x_a', '"a" ', "'a' ", '"a", ', 'is ', 'in the ', 'from ', 'as a '],
].flat();

/**
 * Beginnings of instructions that the offline planner knows, so that its patterns match and read the text that follows.
 */
const beginnings = [
  [
    'Open ',
    'Go to ',
    'Click ',
    "Type 'x' into ",
    'Set the ',
    'Change the a from ',
    'Replace ',
    'Tick the box ',
    'Choose ',
  ],
  [
    'Log in as ',
    'Log in with the user name a and the password ',
    'Wait ',
    'Tell me ',
    'Say ',
    'List ',
    'If ',
    'In the ',
  ],
  [
    'Search for ',
    'Fill in ',
    'Go on to ',
    'Do not ',
    'Upload ',
    'Read the latest mail ',
    'Sort by ',
    'Write a reply: ',
    '',
  ],
  ['- textbox "a" [ref=e1]: ', 'https://', 'The zone is ', 'Leave the ', 'Switch on ', 'Press ', 'Save ', 'Download '],
].flat();

const endings = [
  '',
  '!',
  '\u0000',
  ' to',
  ' to x',
  ' x',
  '"',
  "'",
  '.',
  '\n',
  ' and',
  ' empty',
  '>',
  ' with a',
  ' button',
  ')',
];

const words = [
  ['open', 'go', 'to', 'the', 'set', 'from', 'in', 'as', 'for', 'and', 'then', 'with', 'field', 'button', 'list', 'of'],
  [
    'tell',
    'me',
    'title',
    'page',
    'if',
    'until',
    'is',
    'a',
    '"x"',
    "'y'",
    'https://a.example/',
    ',',
    '.',
    ':',
    ';',
    '?',
  ],
  [
    'secret',
    'password',
    'user',
    'name',
    'log',
    'not',
    'do',
    'tick',
    'box',
    'that',
    'there',
    'are',
    '3',
    'first',
    'all',
  ],
].flat();

/**
 * Generates a text of about `length` characters that is long, repetitive, overlapping, deep or full of unusual
 * characters.
 */
export function worstText(draw: Draw, length: number): string {
  const body = draw.of(bodies)(draw, length);
  if (!draw.chance(0.5)) return body.slice(0, length);
  const [beginning, ending] = [draw.of(beginnings), draw.of(endings)];
  return beginning + body.slice(0, Math.max(0, length - beginning.length - ending.length)) + ending;
}

/** Returns a text length that is likely to cause trouble: `most`, or one of the usual limits up to `most`. */
export function worstLength(draw: Draw, most: number): number {
  const bounds = [100, 255, 499, 999, 1000, 4096, 9_990, 10_000, 49_990, 100_000, 250_000, 1_000_000];
  const allowed = bounds.filter((bound) => bound <= most);
  return draw.chance(0.4) || allowed.length === 0 ? most : draw.of(allowed);
}

const bodies: readonly ((draw: Draw, length: number) => string)[] = [
  (draw, length) => filled(draw.of(units), length),
  (draw, length) => filled(draw.of(units), length),
  (draw, length) => filled(draw.of(units) + draw.of(units), length),
  // Long runs of one unit, each interrupted by a second unit: every run is a near miss.
  (draw, length) => filled(filled(draw.of(units), draw.of([10, 100, 1000])) + draw.of(units), length),
  (draw, length) => {
    const letters = draw.list([2, 4], () => draw.of(['a', 'b', 'ab', ' ', '+', '0']));
    return filled(draw.list([3, 40], () => draw.of(letters)).join(''), length);
  },
  (_draw, length) => fibonacci(length),
  (draw, length) => filled(`${draw.list([200, 400], () => draw.of(words)).join(' ')} `, length),
  (draw, length) => {
    const [opening, closing] = draw.of([
      ['(', ')'],
      ['[', ']'],
      ['{', '}'],
      ['<a>', '</a>'],
      ['"\\"', '"'],
      ['{"a":', '}'],
    ]);
    return filled(opening ?? '', length / 2) + filled(closing ?? '', length / 2);
  },
  (draw, length) => {
    const top = draw.of([0x80, 0x800, 0x1_0000, 0x11_0000]);
    return filled(String.fromCodePoint(...draw.list([200, 400], () => draw.below(top))), length);
  },
];

function filled(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / Math.max(1, unit.length))).slice(0, Math.max(0, length));
}

/** Returns the first `length` characters of the Fibonacci word, whose parts all repeat at irregular distances. */
function fibonacci(length: number): string {
  let [before, now] = ['a', 'ab'];
  while (now.length < length) [before, now] = [now, now + before];
  return now.slice(0, length);
}
