import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeCursor, numberedName, decodeCursor, storedFolder, storedName, storedPath } from './file-names.ts';

describe('storedName', () => {
  it.each([
    { given: 'report.pdf', want: 'report.pdf' },
    { given: 'a/b\\c', want: 'a_b_c' },
    { given: 'a\tb\r\nc', want: 'a b c' },
    { given: '\u202egpj.exe', want: '_gpj.exe' },
    { given: '\ud800.txt', want: '_.txt' },
    { given: '\u{10ffff}', want: '_' },
    { given: '\ufada', want: '\ufada' },
    { given: '👩‍💻.txt', want: '👩‍💻.txt' },
    { given: 'cafe\u0301', want: 'café' },
    { given: 'a. .', want: 'a' },
    { given: '.', want: null },
    { given: '..', want: null },
    { given: ' \n ', want: null },
    { given: '', want: null },
    { given: `${'é'.repeat(200)}.tar.gz`, want: `${'é'.repeat(126)}.gz` },
    { given: `${'x'.repeat(250)}.${'y'.repeat(20)}`, want: `${'x'.repeat(250)}.yyyy` },
  ])('stores $given as $want', ({ given, want }) => {
    expect(storedName(given)).toBe(want);
  });

  it('returns one safe path segment of at most 255 bytes, and is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 255 }), (given) => {
        const stored = storedName(given);
        if (stored === null) return;
        expect(Buffer.byteLength(stored)).toBeLessThanOrEqual(255);
        expect(stored).not.toMatch(/[/\\\p{Cc}]|^\.{1,2}$/u);
        expect(stored.isWellFormed()).toBe(true);
        // Files are listed in the order of their bytes; in the order of UTF-16 units much of Unicode would follow this
        // character.
        expect(Buffer.compare(Buffer.from(stored), Buffer.from('\u{10ffff}'))).toBe(-1);
        expect(storedName(stored)).toBe(stored);
        expect(storedPath(`uploads/${stored}`)).toBe(`uploads/${stored}`);
      }),
    );
  });
});

it.each([
  { given: '', want: '' },
  { given: '/', want: '' },
  { given: '/a//b/', want: 'a/b/' },
  { given: 'a:b', want: 'a_b/' },
  { given: 'a/../b', want: null },
  { given: '.', want: null },
])('reads the folder "$given" as $want', ({ given, want }) => {
  expect(storedFolder(given)).toBe(want);
});

it.each(['', '/', 'a/', '/a', 'a//b', 'a/../b', '..', 'a\\b', 'a\u0000', 'a.'])('rejects the file path %j', (path) => {
  expect(storedPath(path)).toBeNull();
});

describe('numberedName', () => {
  it.each([
    { name: 'price list.pdf', want: 'price list (1).pdf' },
    { name: 'price list .pdf', want: 'price list (1).pdf' },
    { name: 'notes', want: 'notes (1)' },
    { name: '.profile', want: '.profile (1)' },
    { name: `${'é'.repeat(120)}.tar.gz`, want: `${'é'.repeat(50)} (1).gz` },
    { name: 'x'.repeat(255), want: `${'x'.repeat(100)} (1)` },
  ])('numbers $name as $want', ({ name, want }) => {
    expect(numberedName(name, 1)).toBe(want);
  });

  it('returns a valid file name for every number', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 255 }), fc.nat(), (given, number) => {
        const numbered = numberedName(storedName(given) ?? 'download', number);
        expect(storedName(numbered)).toBe(numbered);
      }),
    );
  });
});

it('decodes a cursor to its path', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (path) => {
      expect(decodeCursor(encodeCursor(path))).toBe(path);
    }),
  );
});

it('returns null for an invalid cursor', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(decodeCursor(text)).toBeNull();
    }),
  );
  const changed = [`${encodeCursor('a')}=`, `${encodeCursor('a')} `, encodeCursor('')];
  expect(changed.map(decodeCursor)).toEqual([null, null, null]);
});
