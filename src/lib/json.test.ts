import { expect, test } from 'vitest';
import { JsonCounter, isWithin } from './json-size.ts';

const bounds = { depth: 3, values: 6 };

test.each<{ name: string; text: string; want: boolean }>([
  { name: 'a text', text: '"x"', want: true },
  { name: 'null', text: 'null', want: true },
  { name: 'three levels', text: '{"a":[{}]}', want: true },
  { name: 'a value in the third level', text: '{"a":[{"b":1}]}', want: true },
  { name: 'four levels', text: '{"a":[{"b":[]}]}', want: false },
  { name: 'six values', text: '[1, 2, 3, 4, 5]', want: true },
  { name: 'seven values', text: '[1, 2, 3, 4, 5, 6]', want: false },
  { name: 'seven values over levels', text: '{"a":{"b":[1,2]},"c":1,"d":2}', want: false },
  { name: 'empty containers', text: ' [ [ ] , { } , [\n] ] ', want: true },
  { name: 'brackets, commas and quotation marks in a text', text: String.raw`["[[[[,,,,\",[[[[\\", 1]`, want: true },
  { name: 'seven values behind a text that ends with a backslash', text: String.raw`["\\",1,2,3,4,5]`, want: false },
  { name: 'half a million levels', text: '['.repeat(500_000) + ']'.repeat(500_000), want: false },
])('limits three levels and six values: $name', ({ text, want }) => {
  const bytes = Buffer.from(text);
  expect(isWithin(bytes, bounds)).toBe(want);
  // In chunks of one byte.
  const counter = new JsonCounter(bounds);
  expect([...bytes].every((byte) => counter.isWithin(Uint8Array.of(byte)))).toBe(want);
});
