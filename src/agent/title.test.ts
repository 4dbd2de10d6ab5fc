import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { getTitle } from './title.ts';

test.each([
  { given: 'Open the shop', want: 'Open the shop' },
  { given: '  Open\n the \t shop.  ', want: 'Open the shop' },
  { given: 'Open https://www.shop.example/a/b?c=d#e, then read', want: 'Open shop.example, then read' },
  { given: 'Open data:text/html,<title>x</title> now', want: 'Open a data page now' },
  {
    given: 'Find the cheapest pair of red shoes in my size and put it into the basket',
    want: 'Find the cheapest pair of red shoes in my size and put it…',
  },
  { given: 'x'.repeat(100), want: `${'x'.repeat(59)}…` },
  { given: ' \n\u0000 ', want: 'Untitled' },
  { given: '', want: 'Untitled' },
  { given: '...', want: '...' },
])('$given', ({ given, want }) => {
  expect(getTitle(given)).toBe(want);
});

test('is always one line of 1-60 characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (goal) => {
      const title = getTitle(goal);
      expect(Array.from(title).length).toBeGreaterThanOrEqual(1);
      expect(Array.from(title).length).toBeLessThanOrEqual(60);
      expect(title).not.toMatch(/[\r\n]/);
    }),
    { seed: 20_261_120, numRuns: 500 },
  );
});
