import { expect, test } from 'vitest';
import { brandList, parseIdentity } from './browser-identity.ts';

const linux = { platform: 'linux', arch: 'x64' };

test('a Chromium says what it is, without the word headless', () => {
  const identity = parseIdentity('Chromium 153.0.8010.0', linux);
  expect(identity?.userAgent).toBe(
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Safari/537.36',
  );
  expect(identity?.userAgentMetadata).toMatchObject({
    brands: [
      { brand: 'Chromium', version: '153' },
      { brand: 'Not_A Brand', version: '8' },
    ],
    fullVersion: '153.0.8010.0',
    platform: 'Linux',
    architecture: 'x86',
    bitness: '64',
  });
});

test('Chrome has its own brand as well', () => {
  const identity = parseIdentity('Google Chrome 156.0.8078.79 ', linux);
  expect(JSON.stringify(identity?.userAgentMetadata['brands'])).toContain('"Google Chrome"');
});

test.each([
  { given: { said: 'Chromium', machine: linux } },
  { given: { said: 'Chromium 153.0.8010.0', machine: { platform: 'plan9', arch: 'x64' } } },
])('nothing is made up for $given', ({ given: { said, machine } }) => {
  expect(parseIdentity(said, machine)).toBeNull();
});

// Brand lists of unmodified browsers: Debian's Chromium 156, and the headless shell 153 with its own product name.
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
