import { expect, it } from 'vitest';
import { byteRange } from './recording-route.ts';

it.each([
  { given: undefined, want: null },
  { given: 'bytes=0-', want: { first: 0, last: 99 } },
  { given: 'bytes=10-19', want: { first: 10, last: 19 } },
  { given: 'bytes=99-99', want: { first: 99, last: 99 } },
  { given: 'bytes=10-1000', want: { first: 10, last: 99 } },
  { given: 'bytes=-10', want: { first: 90, last: 99 } },
  { given: 'bytes=-1000', want: { first: 0, last: 99 } },
  { given: 'bytes=100-', want: 'unsatisfiable' },
  { given: 'bytes=100-50', want: 'unsatisfiable' },
  { given: 'bytes=-0', want: 'unsatisfiable' },
  { given: 'bytes=20-10', want: null },
  { given: 'bytes=0-1,5-6', want: null },
  { given: 'bytes=-', want: null },
  { given: 'bytes=a-b', want: null },
  { given: 'lines=0-1', want: null },
])('parses the range "$given" of 100 bytes as $want', ({ given, want }) => {
  expect(byteRange(given, 100)).toEqual(want);
});
