import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '#lib/json.ts';
import { plausibleValue } from './plausible-value.ts';

const middle = (): number => 0.5;

function partsIn(value: JsonValue): number {
  if (value === null || typeof value !== 'object') return 1;
  return Object.values(value).reduce<number>((sum, one) => sum + partsIn(one), 1);
}

const names = (count: number): string[] => Array.from({ length: count }, (_one, at) => `p${at}`);
const itself: JsonObject = {
  type: 'object',
  properties: Object.fromEntries(names(30).map((name) => [name, { $ref: '#' }])),
};
const mergedOften: JsonObject = {
  $defs: {
    a: {
      allOf: names(250).map((name) => ({
        properties: Object.fromEntries(names(20).map((one) => [name + one, { $ref: '#/$defs/a' }])),
      })),
    },
  },
  type: 'object',
  properties: Object.fromEntries(names(200).map((name) => [name, { $ref: '#/$defs/a' }])),
};

it.each([
  { name: 'refers to itself 30 times', schema: itself },
  { name: 'merges 5,000 properties in 200 places', schema: mergedOften },
])('generates a value of bounded size for a schema that $name', ({ schema }) => {
  expect(partsIn(plausibleValue(schema, middle))).toBeLessThan(1_000);
});
