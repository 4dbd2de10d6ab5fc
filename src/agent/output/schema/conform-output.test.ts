import { afterAll, describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '#lib/json.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { createOutputJudges } from './create-output-judges.ts';
import type { Conformed, Proposal } from '../../output-judge.ts';
import type { Facts } from '../../answer/facts.ts';

const judges = createOutputJudges(defaultRules);
afterAll(() => judges.close());

const facts: Facts = {
  title: 'Shop',
  headings: ['Fruit', 'Today'],
  links: [{ text: 'More', url: 'https://a.example/more' }],
  tables: [{ caption: null, header: ['Name'], rows: [['Apple']] }],
  text: 'Fresh every day',
  url: 'https://a.example/',
};
const conform = (schema: JsonObject, unknown: Proposal['unknown'] = 'refuse'): Promise<Conformed> =>
  judges.of('project').conform(schema, { answer: 'The answer', facts: facts, unknown });
const properties = (given: JsonObject): JsonObject => ({
  type: 'object',
  properties: given,
  required: Object.keys(given),
});
const string = { type: 'string' };

const rows: readonly { readonly name: string; readonly schema: JsonObject; readonly want: JsonValue }[] = [
  { name: 'a string is the answer', schema: string, want: 'The answer' },
  { name: 'no type is the answer', schema: {}, want: 'The answer' },
  {
    name: 'members by name',
    schema: properties({ page_title: string, url: { type: 'string', format: 'uri' }, heading: string }),
    want: { page_title: 'Shop', url: 'https://a.example/', heading: 'Fruit' },
  },
  {
    name: 'a list of strings',
    schema: properties({ headings: { type: 'array', items: string } }),
    want: { headings: ['Fruit', 'Today'] },
  },
  {
    name: 'a list of objects',
    schema: properties({ links: { type: 'array', items: properties({ text: string, href: string }) } }),
    want: { links: [{ text: 'More', href: 'https://a.example/more' }] },
  },
  {
    name: 'a table',
    schema: properties({ tables: { type: 'array', items: properties({ rows: { type: 'array' } }) } }),
    want: { tables: [{ rows: [['Apple']] }] },
  },
  {
    name: 'optional members only when known',
    schema: { type: 'object', properties: { title: string, price: { type: 'number' } } },
    want: { title: 'Shop' },
  },
  {
    name: 'alternatives that are references, as optional models have them',
    schema: {
      ...properties({
        link: { anyOf: [{ $ref: '#/$defs/Maybe' }, { type: 'null' }] },
        title: { oneOf: [{ type: 'integer' }, { $ref: '#/$defs/Title' }, { type: 'null' }] },
      }),
      $defs: {
        Maybe: { $ref: '#/$defs/Link' },
        Link: properties({ text: string }),
        Title: { enum: ['Shop', 'Blog'] },
      },
    },
    want: { link: { text: 'More' }, title: 'Shop' },
  },
  {
    name: 'enum and const',
    schema: properties({ title: { enum: ['A', 'Shop'] }, kind: { enum: ['A'] }, version: { const: 2 } }),
    want: { title: 'Shop', kind: 'A', version: 2 },
  },
  {
    name: 'references and parts',
    schema: {
      $ref: '#/$defs/Page',
      $defs: { Page: { allOf: [properties({ title: string }), properties({ url: string })] } },
    },
    want: { title: 'Shop', url: 'https://a.example/' },
  },
  {
    name: 'alternatives by what is known',
    schema: properties({
      title: { anyOf: [{ type: 'null' }, string] },
      rating: { oneOf: [{ type: 'integer' }, { type: 'null' }] },
    }),
    want: { title: 'Shop', rating: null },
  },
  {
    name: 'nullable by a list of types',
    schema: properties({ title: { type: ['null', 'string'] } }),
    want: { title: 'Shop' },
  },
  { name: 'defaults', schema: properties({ size: { type: 'integer', default: 7 } }), want: { size: 7 } },
  {
    name: 'another dialect',
    schema: { $schema: 'http://json-schema.org/draft-07/schema#', ...string },
    want: 'The answer',
  },
];

test.each(rows)('$name', async ({ schema, want }) => {
  expect(await conform(schema)).toEqual({ ok: true, output: want });
});

/**
 * Schemas for which no value is known. A test task gets the output `want`. Any other task fails with a reason that
 * contains `untold`.
 */
const unknownCases: readonly {
  readonly name: string;
  readonly schema: JsonObject;
  readonly want: JsonValue;
  readonly untold: string;
}[] = [
  {
    name: 'a name with another type gets the smallest value',
    schema: properties({ title: { type: 'integer', minimum: 3 } }),
    want: { title: 3 },
    untold: 'tells "title"',
  },
  {
    name: 'unknown required members get the smallest value',
    schema: properties({
      price: { type: 'number' },
      ok: { type: 'boolean' },
      none: { type: 'null' },
      tags: { type: 'array', items: string, minItems: 2 },
    }),
    want: { price: 0, ok: false, none: null, tags: ['', ''] },
    untold: 'tells "price", "ok", "tags", "tags[0]", "tags[1]"',
  },
  {
    name: 'string lengths',
    schema: properties({ title: { type: 'string', maxLength: 2 }, code: { type: 'string', minLength: 3 } }),
    want: { title: 'Sh', code: '---' },
    untold: 'tells "title", "code"',
  },
  {
    name: 'formats',
    schema: properties({ day: { type: 'string', format: 'date' }, id: { type: 'string', format: 'uuid' } }),
    want: { day: '1970-01-01', id: '00000000-0000-0000-0000-000000000000' },
    untold: 'tells "day", "id"',
  },
  {
    name: 'numbers',
    schema: properties({
      a: { type: 'integer', exclusiveMinimum: 4 },
      b: { type: 'number', minimum: 5, multipleOf: 2 },
      c: { type: 'integer', maximum: -3 },
      d: { type: 'number', exclusiveMaximum: 0 },
    }),
    want: { a: 5, b: 6, c: -3, d: -0.5 },
    untold: 'tells "a", "b", "c", "d"',
  },
  {
    name: 'numbers between narrow bounds',
    schema: properties({
      a: { type: 'number', exclusiveMinimum: 0, maximum: 0.4 },
      b: { type: 'number', exclusiveMinimum: -3, exclusiveMaximum: -2.5 },
      c: { type: 'integer', exclusiveMinimum: 0.5, maximum: 1 },
      d: { type: 'integer', minimum: -1, exclusiveMaximum: -0.5 },
    }),
    want: { a: 0.2, b: -2.75, c: 1, d: -1 },
    untold: 'tells "a", "b", "c", "d"',
  },
  {
    name: 'a pattern that what was read does not match falls back',
    schema: properties({ title: { type: 'string', pattern: '^$' } }),
    want: { title: '' },
    untold: 'must match pattern',
  },
  {
    name: 'a list that nothing is known of is not an empty one',
    schema: properties({ prices: { type: 'array', items: { type: 'number' } } }),
    want: { prices: [] },
    untold: 'tells "prices"',
  },
  {
    name: 'an object that nothing is known of is not an empty one',
    schema: properties({ details: { type: 'object' } }),
    want: { details: {} },
    untold: 'tells "details"',
  },
  {
    name: 'a choice between several',
    schema: properties({ colour: { enum: ['red', 'blue'] } }),
    want: { colour: 'red' },
    untold: 'tells "colour"',
  },
  {
    name: 'a member of what was read',
    schema: properties({ links: { type: 'array', items: properties({ text: string, price: { type: 'number' } }) } }),
    want: { links: [{ text: 'More', price: 0 }] },
    untold: 'tells "links[0].price"',
  },
  {
    name: 'more of it than was read',
    schema: properties({ headings: { type: 'array', items: string, minItems: 3 } }),
    want: { headings: ['Fruit', 'Today', ''] },
    untold: 'tells "headings"',
  },
  { name: 'the value itself', schema: { type: 'number' }, want: 0, untold: 'tells the value itself' },
];

describe('what is not known', () => {
  test.each(unknownCases)('is refused: $name', async ({ schema, untold }) => {
    expect(await conform(schema)).toEqual({ ok: false, reason: expect.stringContaining(untold) });
  });

  test.each(unknownCases)('is the smallest value in a test task: $name', async ({ schema, want }) => {
    expect(await conform(schema, 'smallest')).toEqual({ ok: true, output: want });
  });
});

const deep = (levels: number): JsonObject => (levels === 0 ? {} : { items: deep(levels - 1) });

describe('gives up', () => {
  test.each([
    {
      name: 'when nothing conforms',
      schema: properties({ x: { type: 'string', pattern: '^secret$' } }),
      want: 'no output could be made',
    },
    { name: 'on a schema that is none', schema: { type: 'nonsense' }, want: 'is not valid' },
    {
      name: 'on a remote reference',
      schema: { $ref: 'https://a.example/schema.json' },
      want: 'refers to another document',
    },
    { name: 'on a reference to nowhere', schema: { $ref: '#/$defs/Nothing' }, want: 'is not valid' },
    { name: 'on a deep schema', schema: deep(40), want: 'nested deeper' },
    { name: 'on a very deep schema', schema: deep(5_000), want: 'nested deeper' },
    { name: 'on a long schema', schema: { description: 'x'.repeat(70_000) }, want: '65536 characters' },
    {
      name: 'on a schema that asks for a million items',
      schema: { type: 'array', minItems: 1_000_000 },
      want: 'too large',
    },
    {
      name: 'on items that multiply',
      schema: { type: 'array', minItems: 1_000, items: { type: 'array', minItems: 1_000 } },
      want: 'too large',
    },
    { name: 'on a schema that never ends', schema: properties({ a: { $ref: '#' } }), want: 'too large' },
    {
      name: 'on a pattern that never ends',
      schema: { type: 'string', minLength: 60, pattern: '^(-+)+x$', default: '-' },
      want: 'takes too long',
    },
  ])('$name', async ({ schema, want }) => {
    const proposal = { answer: '-'.repeat(60), facts: facts, unknown: 'smallest' } as const;
    const conformed = await judges.of('project').conform(schema, proposal);
    expect(conformed).toEqual({ ok: false, reason: expect.stringContaining(want) });
  });
});
