import { assert, dictionary, nat, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonText, safeStrings, safeText } from './safe-text.ts';

const rows: [string, string, string][] = [
  ['a cursor move', 'a\u001B[2Jb', String.raw`a\u001b[2Jb`],
  ['a clipboard write', '\u001B]52;c;aGk=\u0007', String.raw`\u001b]52;c;aGk=\u0007`],
  ['a C1 introducer', '\u009B31m', String.raw`\u009b31m`],
  ['a carriage return and a delete', 'a\rb\u007F', String.raw`a\u000db\u007f`],
  ['a right-to-left override', 'a\u202Eb\u2066c', String.raw`a\u202eb\u2066c`],
  ['separators of lines', 'a\u2028b\u2029c', String.raw`a\u2028b\u2029c`],
  ['characters without width', 'a\u200Bb\u200Dc\uFEFF', String.raw`a\u200bb\u200dc\ufeff`],
  ['tags', 'a\u{E0041}', String.raw`a\udb40\udc41`],
  ['half of a pair', 'a\uD800', String.raw`a\ud800`],
  ['tab, line feed and letters of any language', 'a\tb\nß漢\u{1F600}', 'a\tb\nß漢\u{1F600}'],
];

describe('safe text', () => {
  it.each(rows)('shows %s', (_what, given, want) => {
    expect(safeText(given)).toBe(want);
    expect(safeText(safeText(given))).toBe(want);
  });

  it('keeps the value of JSON, whatever it holds', () => {
    const text = string({ unit: nat({ max: 0x10ffff }).map((code) => String.fromCodePoint(code)) });
    assert(
      property(dictionary(text, text), (value) => {
        const shown = jsonText(value);
        expect(shown).not.toMatch(/[^\P{C}\t\n\p{Co}\p{Cn}]/u);
        expect(JSON.parse(shown)).toEqual(value);
      }),
      { seed: 1 },
    );
  });

  it('covers every text of a value, and names of members', () => {
    const value: unknown = JSON.parse('{"a":["\\u001b"],"\\u202e":{"__proto__":"\\u0000"},"n":1,"t":true,"z":null}');
    expect(JSON.stringify(safeStrings(value))).toBe(
      String.raw`{"a":["\\u001b"],"\\u202e":{"__proto__":"\\u0000"},"n":1,"t":true,"z":null}`,
    );
  });
});
