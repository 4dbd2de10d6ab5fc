import { afterAll, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { createOutputJudge } from './create-output-judge.ts';

const judge = createOutputJudge();
afterAll(() => judge.close());

const basket: JsonObject = {
  type: 'object',
  properties: { total: { type: 'number' }, items: { type: 'array', items: { type: 'string' } } },
  required: ['total', 'items'],
  additionalProperties: false,
};

/** Backtracks for longer than anybody lives. */
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

// A machine that is busy gives the judge little of the time that it may compute.
test('gives up on a pattern that backtracks for ever, and judges what waits behind it', {
  timeout: 90_000,
}, async () => {
  const [slow, quick] = await Promise.all([judge.check(forEver, nearly), judge.check(basket, { total: 1, items: [] })]);
  expect(slow).toEqual({ ok: false, errors: ['the output takes too long to check against the output schema'] });
  expect(quick).toEqual({ ok: true });
});

test('names one fault only where all of them could fill the memory', async () => {
  const branches = Array.from({ length: 2_000 }, (_, n) => ({ const: n }));
  const schema: JsonObject = { type: 'array', items: { anyOf: branches } };
  const judged = await judge.check(
    schema,
    Array.from({ length: 200_000 }, () => 'x'),
  );
  expect(judged).toEqual({ ok: false, errors: expect.arrayContaining(['/0 must be equal to constant']) });
});

test('says so when it was closed over a question', async () => {
  const closed = createOutputJudge();
  const asked = closed.check(forEver, nearly);
  await closed.close();
  expect(await asked).toMatchObject({ ok: false });
});
