import { expect, test } from 'vitest';
import type { JsonValue } from '#domain/json.ts';
import { isWithin } from './json-bounds.ts';

const nested = (depth: number): JsonValue => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

test.each<{ name: string; value: JsonValue; want: boolean }>([
  { name: 'a text', value: 'x', want: true },
  { name: 'null', value: null, want: true },
  { name: 'three levels', value: { a: [{}] }, want: true },
  { name: 'a value in the third level', value: { a: [{ b: 1 }] }, want: true },
  { name: 'four levels', value: { a: [{ b: [] }] }, want: false },
  { name: 'six values', value: [1, 2, 3, 4, 5], want: true },
  { name: 'seven values', value: [1, 2, 3, 4, 5, 6], want: false },
  { name: 'seven values over levels', value: { a: { b: [1, 2] }, c: 1, d: 2 }, want: false },
  { name: 'half a million levels', value: nested(500_000), want: false },
])('three levels and six values: $name', ({ value, want }) => {
  expect(isWithin(value, { depth: 3, values: 6 })).toBe(want);
});
