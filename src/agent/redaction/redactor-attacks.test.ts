import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { threadTimeMs } from '#lib/testing/thread-time.ts';
import { hideInTask } from './hide-in-task.ts';
import { createRedactor } from './redactor.ts';
import type { Secret } from './secrets.ts';

const secret = (name: string, value: string): Secret => ({ name, value, domains: null });
const one = (value: string) => createRedactor([secret('s', value)]);

/** Limit of the thread's processor time in ms: far above a linear search, and far below a backtracking search. */
const doesNotHangMs = 20_000;

/** Encodings and variants of a text in which a redactor has to find a value. */
const spellings: readonly { readonly name: string; readonly spell: (text: string) => string }[] = [
  { name: 'as it is', spell: (text) => text },
  { name: 'in upper case', spell: (text) => text.toUpperCase() },
  { name: 'as a part of an address', spell: (text) => encodeURIComponent(text) },
  { name: 'as a part of an address in an address', spell: (text) => encodeURIComponent(encodeURIComponent(text)) },
  { name: 'as a form', spell: (text) => new URLSearchParams({ x: text }).toString().slice(2) },
  { name: 'as JSON', spell: (text) => JSON.stringify(text).slice(1, -1) },
  { name: 'as JSON in ASCII', spell: (text) => text.replaceAll(/[^]/g, unicodeEscape) },
  { name: 'as JSON in an address', spell: (text) => encodeURIComponent(JSON.stringify(text).slice(1, -1)) },
  { name: 'composed', spell: (text) => text.normalize('NFC') },
  { name: 'decomposed', spell: (text) => text.normalize('NFD') },
  { name: 'with other blanks', spell: (text) => text.replaceAll(' ', '\n \u00a0') },
  { name: 'with invisible characters', spell: (text) => Array.from(text).join('\u200b') },
];

function unicodeEscape(unit: string): string {
  return String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const marks = Array.from('%25+41\\nu "é\u0301\u200b');

const letters = fc.string({
  unit: fc.constantFrom(
    'a',
    'B',
    'ß',
    'é',
    'e\u0301',
    'Σ',
    '漢',
    '\u{1F600}',
    '4',
    '+',
    ' ',
    '%',
    '"',
    '/',
    '.',
    '\u00ad',
  ),
  minLength: 6,
  maxLength: 30,
});

describe('values in every spelling', () => {
  it.each(spellings)('are replaced $name', ({ spell }) => {
    fc.assert(
      fc.property(letters, (given) => {
        // The value has letters at both ends, so that its neighbours join none of its escapes.
        const value = `x${given}y`;
        expect(one(value).text(`[${spell(value)}]`)).toBe('[<secret:s>]');
      }),
    );
  });

  it.each([
    ['a ligature', 'office', 'oﬃce'],
    ['the sigma at the end of a word', 'ΟΔΟΣ', 'οδος'],
    ['the sign of kelvin', '300 kelvin', '300 \u212Aelvin'],
    ['a mark in another order', 'a\u0323\u0302bc', 'a\u0302\u0323bc'],
    ['a lone surrogate', 'ab\ud83dcd', 'AB\ud83dCD'],
    ['invisible characters only', '\u200b\u200c\u200d\u2060', '\u200b\u200c\u200d\u2060'],
    ['a form that keeps plus signs', 'a+b c', 'a+b+c'],
    ['a backslash before a letter', String.raw`C:\new one`, String.raw`C:\\new one`],
    ['a backslash at its end', String.raw`p"ss\ `.trim(), String.raw`p\"ss\\`],
  ])('with %s are replaced', (_name, value, given) => {
    expect(one(value).text(`[${given}]`)).toBe('[<secret:s>]');
  });

  it.each([
    ['after a percent sign', '41abcd', '%41abcd', '%<secret:s>'],
    ['after a backslash', 'nathan', String.raw`CORP\nathan`, String.raw`CORP\<secret:s>`],
    ['before two digits', 'full%', 'full%20', '<secret:s>20'],
    ['before a mark', 'cafe', 'cafe\u0301', '<secret:s>'],
    ['between letters of another script', 'абвгд', 'жабвгде', 'ж<secret:s>е'],
    ['inside of a word when it has two blanks', 'a  b', 'xa  bx', 'x<secret:s>x'],
  ])('are replaced %s', (...[, value, given, want]) => {
    expect(one(value).text(given)).toBe(want);
  });

  it('never stay as they are written, whatever surrounds them', () => {
    const anyText = fc.string({
      unit: fc.oneof(fc.constantFrom(...marks), fc.string({ unit: 'binary' })),
    });
    const value = fc.string({ unit: 'binary', minLength: 4 }).filter((text) => text.trim().length >= 4);
    fc.assert(
      fc.property(value, anyText, anyText, (found, before, behind) => {
        const shown = one(found).text(before + found + behind);
        expect(shown.replaceAll('<secret:s>', '\n<>\n')).not.toContain(found.trim());
      }),
      { numRuns: 500 },
    );
  });

  it('that overlap are hidden together', () => {
    const part = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 4, maxLength: 7 });
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 5 }),
        fc.string({ unit: fc.constantFrom('a', 'b') }),
        (values, text) => {
          const shown = createRedactor(values.map((value, index) => secret(`${index}`, value))).text(text);
          expect(shown.replaceAll(/(?:<secret:\d>)+/g, '#')).toBe(hiddenSlowly(text, values));
        },
      ),
      { numRuns: 500 },
    );
  });
});

/**
 * Returns the text with `#` in place of each run of characters that lie in an occurrence of a value. Tries every
 * position.
 */
function hiddenSlowly(text: string, values: readonly string[]): string {
  const isHidden = Array.from({ length: text.length }, () => false);
  for (const value of values)
    for (let at = 0; at + value.length <= text.length; at += 1)
      if (text.startsWith(value, at)) isHidden.fill(true, at, at + value.length);
  const mark = (at: number): string => (isHidden[at - 1] === true ? '' : '#');
  return isHidden.map((hidden, at) => (hidden ? mark(at) : text[at])).join('');
}

const numbered = (values: readonly string[]): Secret[] => values.map((value, index) => secret(`name-${index}`, value));

describe('values and texts that are made to take long', () => {
  const values: readonly { readonly name: string; readonly secrets: readonly Secret[] }[] = [
    { name: 'plus signs between blanks', secrets: numbered(['+ + + + + + + + + + z']) },
    { name: 'identical letters', secrets: numbered(['a'.repeat(4_000), `${'a'.repeat(4_000)}b`]) },
    { name: 'nested values', secrets: numbered(Array.from({ length: 100 }, (_, index) => 'a'.repeat(index + 1))) },
    { name: 'blanks', secrets: numbered([`${' \t'.repeat(2_000)}z`, `z${' '.repeat(4_000)}z`]) },
    { name: 'percent signs', secrets: numbered(['%25'.repeat(1_300), `${'%'.repeat(4_000)}z`]) },
    { name: 'backslashes', secrets: numbered(['\\'.repeat(4_000), `${String.raw`\u0041`.repeat(600)}z`]) },
    { name: 'marks', secrets: numbered([`e${'\u0301\u0316'.repeat(600)}`]) },
    {
      name: 'as many and as long as a task may have',
      secrets: numbered(Array.from({ length: 100 }, (_, index) => `${'%41+'.repeat(163)}${index}`)),
    },
  ];
  const texts = [
    '+ ',
    '+',
    'a',
    ' ',
    '%25',
    '%2525252525',
    '%C3',
    '\\',
    String.raw`\u0041`,
    '%41+',
    '\u0301\u0316',
    '\u200b',
    '\u{1F600}',
    "secret '",
    '<secret:',
  ];
  const length = 100_000;

  it.each(values)('are searched for in linear time: $name', ({ secrets }) => {
    const redactor = createRedactor(secrets);
    const before = threadTimeMs();
    for (const text of texts) {
      redactor.text(text.repeat(length / text.length));
      hideInTask(text.repeat(length / 2 / text.length), secrets);
    }
    expect(threadTimeMs() - before).toBeLessThan(doesNotHangMs);
  });

  it('are hidden in a task with 120 plus signs', () => {
    const secrets = [secret('p', '+ + + + + + + + + + z')];
    const task = `Add ${'+ '.repeat(120)}`;
    expect(hideInTask(task, secrets)).toBe(task);
    expect(createRedactor(secrets).text(`${task}z`)).toBe(`Add ${'+ '.repeat(110)}<secret:p>`);
  });

  it('are hidden as a whole when they repeat', () => {
    expect(createRedactor(numbered(['a'.repeat(4_000)])).text('a'.repeat(50_000))).toBe('<secret:name-0>');
  });
});

describe('texts that are redacted in slices', () => {
  const beyondSlices = 120_000;

  it('are the same as texts that are redacted at once, wherever their values stand', async () => {
    const redactor = createRedactor([secret('long', 'correct horse/battery é staple'), secret('short', 'q7')]);
    const spelt = spellings.map(({ spell }) => spell('correct horse/battery é staple'));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(beyondSlices), fc.constantFrom(...spelt, ' q7 ', 'xq7', '<secret:long>')), {
          minLength: 1,
          maxLength: 40,
        }),
        fc.constantFrom('x', ' ', 'é', 'correct '),
        async (places, filling) => {
          let text = '';
          for (const [place, part] of places.toSorted((first, second) => first[0] - second[0]))
            text = text.padEnd(place, filling) + part;
          text = text.padEnd(beyondSlices, filling);
          expect(await redactor.paced(text)).toBe(redactor.text(text));
        },
      ),
      { numRuns: 30 },
    );
  });

  it('hold no value that begins in one slice and ends in the next one', async () => {
    const value = 'v'.repeat(10) + 'w'.repeat(3000);
    const redactor = one(value);
    for (const at of [32_758, 32_767, 32_768, 65_000])
      expect(await redactor.paced(`${'-'.repeat(at)}${value}${'-'.repeat(40_000)}`)).toBe(
        `${'-'.repeat(at)}<secret:s>${'-'.repeat(40_000)}`,
      );
  });

  it('let other work be done meanwhile', async () => {
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    turn();
    await one('hunter2').paced('hunter2 '.repeat(125_000));
    await one('hunter2').paced(Array.from({ length: 30_000 }, () => 'hunter2 and more of it'));
    isOver = true;
    expect(turns).toBeGreaterThan(45);
  });
});
