import { expect, test } from 'vitest';
import { threadTimeMs } from '#lib/testing/thread-time.ts';
import { extractCode, extractJson } from './extract.ts';

test.each([
  { given: '{"a":1}', want: { a: 1 } },
  { given: 'Here:\n```json\n[1]\n```\nDone.', want: [1] },
  { given: '```\n{"a":"}"}\n```', want: { a: '}' } },
  { given: 'Before {"a":"\\"}{"} behind', want: { a: '"}{' } },
  { given: '```js\nnone\n``` then ```json\n2\n```', want: 2 },
  { given: '```js\nf({})\n```\nIt is:\n```json\n{"a":1}\n```', want: { a: 1 } },
  { given: 'nothing', want: undefined },
])('extracts JSON from $given', ({ given, want }) => {
  expect(extractJson(given)).toEqual(want);
});

test.each([
  { given: '```js\nf()\n```', want: 'f()' },
  { given: '```\nf()\n```', want: 'f()' },
  { given: '```c++\nnone\n```\nThat is:\n```js\nf()\n```', want: 'f()' },
  { given: 'f()', want: 'f()' },
])('extracts a program from $given', ({ given, want }) => {
  expect(extractCode(given)).toBe(want);
});

// A backtracking regular expression needed seconds to minutes for each of these texts.
test.each([
  { what: 'a string that does not end', text: `{"${'\\"'.repeat(500_000)}` },
  { what: 'a fence that does not end', text: `\`\`\`${'\n'.repeat(1_000_000)}` },
  { what: 'many fences', text: '```json '.repeat(200_000) },
  { what: 'open brackets', text: '[{"a":'.repeat(300_000) },
])('reads $what in linear time', ({ text }) => {
  const before = threadTimeMs();
  expect(extractJson(text)).toBeUndefined();
  expect(extractCode(text)).toBe(text.trim());
  expect(threadTimeMs() - before).toBeLessThan(5000);
});
