import { expect, test } from 'vitest';
import { TabError } from './tab.ts';
import { allowedAddress } from './addresses.ts';

test.each([
  ['https://example.com', 'https://example.com/'],
  ['HTTP://Example.com/A', 'http://example.com/A'],
  ['data:text/html,<p>x', 'data:text/html,<p>x'],
  ['about:blank', 'about:blank'],
])('opens %s', (given, want) => {
  expect(allowedAddress(given)).toBe(want);
});

test.each([
  'file:///etc/passwd',
  'chrome://version',
  'about:version',
  'javascript:alert(1)',
  'view-source:http://a.example',
  'ftp://a.example',
  'example.com',
  '',
])('does not open "%s"', (given) => {
  expect(() => allowedAddress(given)).toThrow(TabError);
});
