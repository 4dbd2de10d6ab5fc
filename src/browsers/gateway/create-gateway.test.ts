import { expect, test } from 'vitest';
import { getToken } from './create-gateway.ts';

test.each([
  ['/devtools/browser/abc_-9', 'abc_-9'],
  ['/devtools/browser/abc/', 'abc'],
  ['/devtools/browser/abc?keepAlive=1', 'abc'],
  ['/devtools/browser/', null],
  ['/devtools/browser/a%2Fb', null],
  ['/devtools/browser/abc/json/version', null],
  ['/devtools/page/abc', null],
  ['/api/v4/browsers', null],
  [undefined, null],
])('the token of %j is %j', (url, token) => {
  expect(getToken(url)).toBe(token);
});
