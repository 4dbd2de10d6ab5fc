import { expect, test } from 'vitest';
import { shownPath } from './shown-path.ts';

test.each([
  ['/api/v4/browsers?pageSize=2', '/api/v4/browsers'],
  ['/screenshots/a.jpg?signature=secret', '/screenshots/a.jpg'],
  ['/live/secret', '/live/…'],
  ['/live/secret/frames', '/live/…/frames'],
  ['/devtools/browser/secret', '/devtools/browser/…'],
  ['/devtools/browser/secret/json/version?x', '/devtools/browser/…/json/version'],
])('%s is shown as %s', (url, shown) => {
  expect(shownPath(url)).toBe(shown);
});
