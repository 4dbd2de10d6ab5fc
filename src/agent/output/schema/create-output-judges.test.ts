import { afterAll, describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '#lib/json.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { besideThread } from '#lib/testing/thread-time.ts';
import { createOutputJudges } from './create-output-judges.ts';

const judges = createOutputJudges(defaultRules);
const judge = judges.of('project');
afterAll(() => judges.close());

const basket: JsonObject = {
  type: 'object',
  properties: { total: { type: 'number' }, items: { type: 'array', items: { type: 'string' } } },
  required: ['total', 'items'],
  additionalProperties: false,
};

/** A schema whose pattern backtracks practically forever on the text `nearly`. */
const forEver: JsonObject = { type: 'string', pattern: '^(a+)+$' };
const nearly = `${'a'.repeat(60)}!`;

test.each<{ name: string; schema: JsonObject; value: JsonValue; errors: readonly string[] }>([
  { name: 'a value that conforms', schema: basket, value: { total: 3, items: ['a'] }, errors: [] },
  {
    name: 'every fault of a value at once',
    schema: basket,
    value: { total: 'three', items: [1], more: true },
    errors: ['the output must NOT have additional properties', '/total must be number', '/items/0 must be string'],
  },
  { name: 'null', schema: basket, value: null, errors: ['the output must be object'] },
  {
    name: 'a schema with an unknown type',
    schema: { type: 'number-or-so' },
    value: 1,
    errors: [expect.stringContaining('the output schema is not valid')],
  },
  {
    name: 'a schema that refers to another document',
    schema: { $ref: 'https://example.com/s.json' },
    value: 1,
    errors: ['the output schema refers to another document'],
  },
  {
    name: 'a text of the largest size',
    schema: basket,
    value: 'x'.repeat(1_048_576),
    errors: ['the output has more than 1048576 characters'],
  },
])('judges $name', async ({ schema, value, errors }) => {
  const judged = await judge.check(schema, value);
  expect(judged.ok ? [] : judged.errors).toEqual(errors);
});

test('names at most ten faults', async () => {
  const judged = await judge.check(
    { type: 'array', items: { type: 'string' } },
    Array.from({ length: 5_000 }, (_, n) => n),
  );
  expect(judged.ok ? [] : judged.errors).toHaveLength(10);
});

test('names one fault only where all of them could fill the memory', async () => {
  const consts = Array.from({ length: 250 }, (_, n) => ({ const: n }));
  const schema: JsonObject = { type: 'array', items: { anyOf: consts } };
  const judged = await judge.check(
    schema,
    Array.from({ length: 200_000 }, () => 'x'),
  );
  expect(judged).toEqual({ ok: false, errors: expect.arrayContaining(['/0 must be equal to constant']) });
});

test('says so when it was closed over a question', async () => {
  const closed = createOutputJudges(defaultRules);
  const asked = closed.of('project').check(forEver, nearly);
  await closed.close();
  expect(await asked).toEqual({ ok: false, errors: ['the service ended before the output was checked'] });
});

/**
 * Returns the given number of schema properties. With `branches` and the schemas below, tests build schemas whose check
 * takes long for their size.
 */
const properties = (names: number): JsonObject =>
  Object.fromEntries(Array.from({ length: names }, (_, n) => [`p${n}`, { type: 'string' }]));
const branches = (length: number): JsonObject => ({
  oneOf: Array.from({ length }, (_, n) => ({ properties: { a: { const: n } } })),
});
/** A schema in which each definition refers to the next definition twice: 2^30 checks of one value. */
const doubling: JsonObject = {
  $ref: '#/$defs/d0',
  $defs: Object.fromEntries(
    Array.from({ length: 31 }, (_, n) => [
      `d${n}`,
      n === 30 ? { type: 'string' } : { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
    ]),
  ),
};
/** The schema `doubling` with anchors as references, which only the compiler resolves. */
const anchored: JsonObject = {
  $ref: '#d0',
  $defs: Object.fromEntries(
    Array.from({ length: 31 }, (_, n) => [
      `x${n}`,
      n === 30
        ? { $anchor: `d${n}`, type: 'string' }
        : { $anchor: `d${n}`, allOf: [{ $ref: `#d${n + 1}` }, { $ref: `#d${n + 1}` }] },
    ]),
  ),
};
const nested = (levels: number): JsonObject => (levels === 0 ? {} : { not: nested(levels - 1) });

describe('a schema that costs much', () => {
  test.each<{ name: string; schema: JsonObject; reason: string }>([
    {
      name: '63 KB with 1,800 branches of oneOf',
      schema: { oneOf: Array.from({ length: 1_800 }, (_, n) => ({ type: 'string', maxLength: n })) },
      reason: 'the output schema has 1800 branches of oneOf, anyOf and allOf, at most 256 are allowed',
    },
    {
      name: '300 branches that are hidden behind a reference into no schema',
      schema: { $ref: '#/x-hidden', 'x-hidden': branches(300) },
      reason: 'the output schema has 300 branches of oneOf, anyOf and allOf, at most 256 are allowed',
    },
    {
      name: 'branches that are branches',
      schema: { allOf: Array.from({ length: 20 }, () => ({ anyOf: Array.from({ length: 20 }, () => true) })) },
      reason: 'the output schema has 420 branches of oneOf, anyOf and allOf, at most 256 are allowed',
    },
    {
      name: '2,000 properties',
      schema: { properties: properties(2_000) },
      reason: 'the output schema has 2001 subschemas, at most 1000 are allowed',
    },
    {
      name: '1,500 patternProperties',
      schema: { patternProperties: properties(1_500) },
      reason: 'the output schema has 1501 subschemas, at most 1000 are allowed',
    },
    {
      name: 'references that double thirty times',
      schema: doubling,
      reason: expect.stringMatching(/has \d+ subschemas with its references replaced by their targets, at most 10000/),
    },
    {
      name: '12,000 members of enum',
      schema: { enum: Array.from({ length: 12_000 }, (_, n) => n) },
      reason: 'the output schema has 12000 members of enum, at most 5000 are allowed',
    },
    {
      name: 'a pattern of 60,000 characters',
      schema: { pattern: '(a|'.repeat(10_000) + 'b' + ')'.repeat(10_000) },
      reason: 'the output schema has 40001 characters in a pattern, at most 1000 are allowed',
    },
    {
      name: 'a name of patternProperties of 2,000 characters',
      schema: { patternProperties: { ['a?'.repeat(1_000)]: true } },
      reason: 'the output schema has 2000 characters in a pattern, at most 1000 are allowed',
    },
    { name: '5,000 levels', schema: nested(5_000), reason: 'the output schema is nested deeper than 32 levels' },
  ])('is refused with the limit that it exceeds: $name', async ({ schema, reason }) => {
    expect(await besideThread(() => judges.checkSchema('project', schema))).toEqual({ reason });
    expect(await judge.check(schema, 'x')).toEqual({ ok: false, errors: [reason] });
  });

  test.each<{ name: string; schema: JsonObject; value?: JsonValue; errors?: readonly string[] }>([
    {
      name: '256 branches of oneOf',
      schema: branches(256),
      value: { a: 300 },
      errors: ['/a must be equal to constant', 'the output must match exactly one schema in oneOf'],
    },
    { name: '900 properties', schema: { properties: properties(900) } },
    {
      name: '5,000 members of enum',
      schema: { enum: Array.from({ length: 5_000 }, (_, n) => n) },
      errors: [expect.any(String)],
    },
    {
      name: 'a pattern that backtracks without end',
      schema: { pattern: '(a+)+$' },
      value: nearly,
      errors: ['the output takes too long to check against the output schema'],
    },
    {
      name: 'names that backtrack without end',
      schema: { patternProperties: { '^(a|aa)+$': true } },
      value: { [nearly]: 1 },
      errors: ['the output takes too long to check against the output schema'],
    },
    {
      name: 'anchors that double thirty times',
      schema: anchored,
      errors: ['the output takes too long to check against the output schema'],
    },
    {
      name: 'a schema that refers to itself',
      schema: { $ref: '#' },
      errors: ['the output schema refers to itself without end'],
    },
    {
      name: 'uniqueItems of many objects',
      schema: { uniqueItems: true },
      value: Array.from({ length: 60_000 }, (_, n) => ({ n })),
      errors: ['the output takes too long to check against the output schema'],
    },
    {
      name: 'multipleOf of a tiny number',
      schema: { items: { multipleOf: 1e-300 } },
      value: Array.from({ length: 100_000 }, () => 1e300),
      errors: [expect.stringContaining('must be multiple of')],
    },
    {
      name: 'a minimal length of 10^15',
      schema: { minLength: 1e15, maxItems: 1e15 },
      errors: [expect.stringContaining('must NOT have fewer than')],
    },
  ])(
    'is accepted, and its outputs are judged within the limits: $name',
    async ({ schema, value = 'x', errors = [] }) => {
      expect(await besideThread(() => judges.checkSchema('project', schema))).toBeNull();
      const judged = await besideThread(() => judge.check(schema, value));
      expect(judged.ok ? [] : judged.errors).toEqual(errors);
    },
  );

  test('delays no other project, whose outputs are judged properly', async () => {
    const attacks = Array.from({ length: 6 }, () => judges.of('attacker').check(forEver, nearly));
    const others = [
      judges.of('other').check(basket, { total: 1, items: [] }),
      judges.of('other').check(basket, { total: 'one', items: [] }),
      judges.checkSchema('other', basket),
    ];
    const first = await Promise.race([Promise.all(others), ...attacks]);
    expect(first).toEqual([{ ok: true }, { ok: false, errors: ['/total must be number'] }, null]);
  });
});
