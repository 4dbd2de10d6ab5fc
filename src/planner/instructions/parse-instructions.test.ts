import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Directive } from './directive.ts';
import { parseInstructions } from './parse-instructions.ts';
import { directiveRules } from './page-rules.ts';

const open = (url: string): Directive => ({ kind: 'open', url });
const visit = (what: string): Directive => ({ kind: 'visit', what });
const set = (field: string, value: string): Directive => ({ kind: 'set', field, value });
const choose = (option: string, field: string | null = null): Directive => ({ kind: 'choose', option, field });
const tick = (what: string, isOn = true): Directive => ({ kind: 'tick', what, isOn });
const submit = (verb: string, what = ''): Directive => ({ kind: 'submit', verb, what });
const press = (what: string, near: string | null = null): Directive => ({
  kind: 'press',
  what,
  near,
  isOptional: false,
});
const ask = (question: string, about = ''): Directive => ({ kind: 'ask', question, about });
const assign = (...pieces: readonly (readonly [string, string | null])[]): Directive => ({
  kind: 'assign',
  pieces: pieces.map(([text, quoted]) => ({ text, quoted })),
});

const sitePattern = 'https://a.example';

const understood: readonly { readonly given: string; readonly want: readonly Directive[] }[] = [
  {
    given: `On ${sitePattern}/join, enter the first name Ada, the last name Byron and the motto "Think, then act". Submit it.`,
    want: [
      open(`${sitePattern}/join`),
      assign(['first name Ada', null], ['last name Byron', null], ['motto', 'Think, then act']),
      submit('Submit'),
    ],
  },
  {
    given: `Go to ${sitePattern} and sign in with the username bob and the password hunter2. What is the account balance?`,
    want: [open(sitePattern), { kind: 'login', user: 'bob', password: 'hunter2' }, ask('What is the account balance')],
  },
  {
    given: `Log in at ${sitePattern} as bob. The password is stored as the secret bank_pin.`,
    want: [open(sitePattern), { kind: 'login', user: 'bob', password: '<secret:bank_pin>' }],
  },
  {
    given: `Open ${sitePattern}/pizza; choose Large as the size, tick Olives and Extra cheese, untick Onions, then place the order.`,
    want: [
      open(`${sitePattern}/pizza`),
      choose('Large', 'size'),
      tick('Olives'),
      tick('Extra cheese'),
      tick('Onions', false),
      submit('place', 'order'),
    ],
  },
  {
    given: `Visit ${sitePattern}/profile, change the nickname to Zed and save the changes.`,
    want: [open(`${sitePattern}/profile`), set('nickname', 'Zed'), submit('save', 'changes')],
  },
  {
    given: `Please put three Red Pencils in the cart at ${sitePattern}. Do not check out.`,
    want: [
      open(sitePattern),
      { kind: 'basket', what: 'Red Pencils', quantity: 3 },
      { kind: 'avoid', what: 'check out' },
    ],
  },
  {
    given: `Go to ${sitePattern}/news, scroll down until you see the article about otters and press Share next to it.`,
    want: [open(`${sitePattern}/news`), { kind: 'scroll', until: 'the article about otters' }, press('Share', 'it')],
  },
  {
    given: `Fill in the questionnaire at ${sitePattern}/q. What do you like best? Blue. I don't want the catalogue. Send it.`,
    want: [
      open(`${sitePattern}/q`),
      { kind: 'headline', what: 'questionnaire' },
      { kind: 'place', where: 'What do you like best' },
      set('', 'Blue'),
      tick('catalogue', false),
      submit('Send'),
    ],
  },
  {
    given: `The entry "Old shed" isn't on this page at ${sitePattern}/list, so click Next. What does it cost?`,
    want: [
      open(`${sitePattern}/list`),
      { kind: 'mention', what: 'Old shed' },
      press('Next'),
      ask('What does it cost', 'Old shed'),
    ],
  },
  {
    given: `Open ${sitePattern}/t. Sort the list by price, so that the most expensive is at the top. How much is the first row?`,
    want: [
      open(`${sitePattern}/t`),
      { kind: 'sort', column: 'price', order: 'falling' },
      ask('How much is the first row'),
    ],
  },
  {
    given: `Open ${sitePattern}/files and download the report for May.`,
    want: [open(`${sitePattern}/files`), { kind: 'download', what: 'report for May' }],
  },
  {
    given: `On ${sitePattern}/tv turn on the lamp in the attic and switch the radio off.`,
    want: [open(`${sitePattern}/tv`), tick('lamp in the attic'), tick('radio', false)],
  },
  {
    given: `Remove the entry called "Old shed" at ${sitePattern}/list. Confirm if you're asked.`,
    want: [{ kind: 'agree' }, open(`${sitePattern}/list`), press('Remove', 'Old shed')],
  },
  {
    given: `Go to ${sitePattern}, open the settings, leave the nickname empty, and press "Apply" if there is one.`,
    want: [
      open(sitePattern),
      visit('settings'),
      set('nickname', ''),
      { kind: 'press', what: 'Apply', near: null, isOptional: true },
    ],
  },
  {
    given: `Search for "oak table" on ${sitePattern}, open the first one and tell me the price.`,
    want: [
      open(sitePattern),
      { kind: 'search', text: 'oak table' },
      visit('first one'),
      ask('tell me the price', 'first one'),
    ],
  },
  {
    given: `Subscribe to the bulletin at ${sitePattern} with the address a@b.example.`,
    want: [
      open(sitePattern),
      { kind: 'headline', what: 'bulletin' },
      assign(['address a@b.example', null]),
      submit('Subscribe'),
    ],
  },
];

describe('understands', () => {
  test.each(understood)('$given', ({ given, want }) => {
    const read = parseInstructions(given);
    expect(read).toEqual({ kind: 'understood', directives: want });
  });

  test.each(directiveRules.flatMap(({ name, examples }) => examples.map((example) => ({ name, example }))))(
    '$name: $example',
    ({ name, example }) => {
      expect(parseInstructions(`${example}. Press Go.`)).toMatchObject({ kind: 'understood' });
      expect(
        directiveRules.find(({ pattern, examples }) => examples.includes(example) && pattern.flags.includes('i'))?.name,
      ).toBe(name);
    },
  );
});

describe('does not pretend to understand', () => {
  test.each([
    { given: '', part: '' },
    { given: `Book me a flight to Paris at ${sitePattern}`, part: 'Book me a flight to Paris' },
    { given: `Open ${sitePattern} and juggle three balls`, part: /juggle/ },
    { given: `Buy whatever you like at ${sitePattern}`, part: /Buy whatever/ },
    { given: `Open ${sitePattern}. Scroll up.`, part: /Scroll up/ },
    { given: `Log in at ${sitePattern} as bob.`, part: /^Log in/ },
    { given: `Open ${sitePattern}. ${'x'.repeat(1_200)}`, part: /x+/ },
  ])('$given', ({ given, part }) => {
    const read = parseInstructions(given);
    expect(read).toEqual({ kind: 'unclear', part: typeof part === 'string' ? part : expect.stringMatching(part) });
  });
});

test('never throws and always gives the same directives', () => {
  const words = fc.constantFrom(
    'open',
    'the',
    'set',
    'to',
    '"',
    "'",
    ',',
    '. ',
    ': ',
    '?',
    `${sitePattern}/`,
    'and',
    'tick',
    'with',
    'as',
    'it',
    'is',
    'log in',
    'x',
    '\uE000',
    '0',
    '\uE001',
  );
  const goals = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(words).map((all) => all.join(' ')),
    fc.array(words).map((all) => all.join('')),
  );
  fc.assert(
    fc.property(goals, (goal) => {
      expect(parseInstructions(goal)).toEqual(parseInstructions(goal));
    }),
    { seed: 20_261_121, numRuns: 2_000 },
  );
});
