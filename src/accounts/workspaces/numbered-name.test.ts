import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberedName } from './numbered-name.ts';
import { storedName } from './stored-name.ts';

describe('numberedName', () => {
  it.each([
    { name: 'price list.pdf', want: 'price list (1).pdf' },
    { name: 'price list .pdf', want: 'price list (1).pdf' },
    { name: 'notes', want: 'notes (1)' },
    { name: '.profile', want: '.profile (1)' },
    { name: `${'é'.repeat(120)}.tar.gz`, want: `${'é'.repeat(50)} (1).gz` },
    { name: 'x'.repeat(255), want: `${'x'.repeat(100)} (1)` },
  ])('$name becomes $want', ({ name, want }) => {
    expect(numberedName(name, 1)).toBe(want);
  });

  it('is a name that files have, whatever the number', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 255 }), fc.nat(), (given, number) => {
        const numbered = numberedName(storedName(given) ?? 'download', number);
        expect(storedName(numbered)).toBe(numbered);
      }),
    );
  });
});
