import { expect, test } from 'vitest';
import { brandList } from './brand-list.ts';

// What unchanged browsers said: Debian's Chromium 156, and the headless shell 153, whose product is taken as it is.
test.each([
  {
    given: { version: '156.0.8078.79', product: null, full: false },
    want: [
      { brand: 'Not:A-Brand', version: '8' },
      { brand: 'Chromium', version: '156' },
    ],
  },
  {
    given: { version: '156.0.8078.79', product: null, full: true },
    want: [
      { brand: 'Not:A-Brand', version: '8.0.0.0' },
      { brand: 'Chromium', version: '156.0.8078.79' },
    ],
  },
  {
    given: { version: '153.0.8010.0', product: 'HeadlessChrome', full: true },
    want: [
      { brand: 'HeadlessChrome', version: '153.0.8010.0' },
      { brand: 'Not_A Brand', version: '8.0.0.0' },
      { brand: 'Chromium', version: '153.0.8010.0' },
    ],
  },
])('lists brands as Chromium itself does: $given', ({ given, want }) => {
  expect(brandList(given)).toEqual(want);
});

test('a browser without a product of its own has two brands', () => {
  expect(brandList({ version: '153.0.8010.0', product: null, full: false })).toEqual([
    { brand: 'Chromium', version: '153' },
    { brand: 'Not_A Brand', version: '8' },
  ]);
});
