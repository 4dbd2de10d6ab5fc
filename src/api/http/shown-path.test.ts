import { expect, test } from 'vitest';
import { shownPath } from './shown-path.ts';

const token = 'yWZ3oT-4_kQ9xL2mB7vN1cR8sD5fG6hJ';
const encoded = Array.from(token, (letter) => `%${(letter.codePointAt(0) ?? 0).toString(16)}`).join('');
const uuid = '4b926e59-2704-408d-989e-7f4b6987de3a';

test.each([
  ['/api/v4/browsers?pageSize=2', '/api/v4/browsers'],
  [`/api/v4/browsers/${uuid}`, `/api/v4/browsers/${uuid}`],
  ['/screenshots/a.jpg?signature=secret', '/screenshots/a.jpg'],
  [`/screenshots/${uuid}.jpg?signature=secret`, `/screenshots/${uuid}.jpg`],
  ['/live/secret', '/live/…'],
  ['/share/secret', '/share/…'],
  ['/live/secret/frames', '/live/…/frames'],
  ['/devtools/browser/secret', '/devtools/browser/…'],
  ['/devtools/browser/secret/json/version?x', '/devtools/browser/…/json/version'],
  ['http://a.test/live/secret', '/live/…'],
  ['', ''],
  ['*', '*'],
  ['/%zz/%', '/%zz/%'],
])('%s is shown as %s', (url, shown) => {
  expect(shownPath(url)).toBe(shown);
});

test.each([
  `/devtools/%62rowser/${token}/json/version`,
  `http://x/devtools/browser/${token}/json/version`,
  `HTTP://${token}@x/`,
  `/%6cive/${token}`,
  `/%256cive/${token}`,
  `http://x/live/${token}`,
  `//devtools/browser/${token}`,
  `/devtools//browser//${token}`,
  `/devtools/browser/a%2f/${token}`,
  `/Devtools/browser/${token}`,
  `/LIVE/${token}`,
  `/elsewhere/${token}.json`,
  `/devtools/browser/${token}%3fx`,
  `/devtools/browser;x/${token}`,
  `/live/${encoded}`,
  `/elsewhere/${encoded}`,
  `/elsewhere/${encoded.replaceAll('%', '%25')}`,
])('no spelling of a path shows its token: %s', (url) => {
  const shown = shownPath(url);
  for (const spelling of [token, encoded]) expect(shown).not.toContain(spelling);
  expect(decodeURIComponent(shown)).not.toContain(token);
});
