import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { conformOutput } from './conform-output.ts';
import { factsByName } from './facts-by-name.ts';

const FACTS = factsByName(
  {
    title: 'Shop',
    headings: ['Fruit', 'Today'],
    links: [{ text: 'More', url: 'https://a.example/more' }],
    tables: [{ caption: null, header: ['Name'], rows: [['Apple']] }],
    text: 'Fresh every day',
    url: 'https://a.example/',
  },
  'The answer',
);
const conform = (schema: JsonObject): ReturnType<typeof conformOutput> => conformOutput(schema, 'The answer', FACTS);
const properties = (given: JsonObject): JsonObject => ({
  type: 'object',
  properties: given,
  required: Object.keys(given),
});
const STRING = { type: 'string' };

const ROWS: readonly { readonly name: string; readonly schema: JsonObject; readonly want: JsonValue }[] = [
  { name: 'a string is the answer', schema: STRING, want: 'The answer' },
  { name: 'no type is the answer', schema: {}, want: 'The answer' },
  {
    name: 'members by name',
    schema: properties({ page_title: STRING, url: { type: 'string', format: 'uri' }, heading: STRING }),
    want: { page_title: 'Shop', url: 'https://a.example/', heading: 'Fruit' },
  },
  {
    name: 'a list of strings',
    schema: properties({ headings: { type: 'array', items: STRING } }),
    want: { headings: ['Fruit', 'Today'] },
  },
  {
    name: 'a list of objects',
    schema: properties({ links: { type: 'array', items: properties({ text: STRING, href: STRING }) } }),
    want: { links: [{ text: 'More', href: '' }] },
  },
  {
    name: 'a table',
    schema: properties({ tables: { type: 'array', items: properties({ rows: { type: 'array' } }) } }),
    want: { tables: [{ rows: [['Apple']] }] },
  },
  {
    name: 'a name with another type gets the smallest value',
    schema: properties({ title: { type: 'integer', minimum: 3 } }),
    want: { title: 3 },
  },
  {
    name: 'optional members only when known',
    schema: { type: 'object', properties: { title: STRING, price: { type: 'number' } } },
    want: { title: 'Shop' },
  },
  {
    name: 'unknown required members get the smallest value',
    schema: properties({
      price: { type: 'number' },
      ok: { type: 'boolean' },
      none: { type: 'null' },
      tags: { type: 'array', items: STRING, minItems: 2 },
    }),
    want: { price: 0, ok: false, none: null, tags: ['', ''] },
  },
  {
    name: 'enum and const',
    schema: properties({ title: { enum: ['A', 'Shop'] }, kind: { enum: ['A', 'B'] }, version: { const: 2 } }),
    want: { title: 'Shop', kind: 'A', version: 2 },
  },
  {
    name: 'references and parts',
    schema: {
      $ref: '#/$defs/Page',
      $defs: { Page: { allOf: [properties({ title: STRING }), properties({ url: STRING })] } },
    },
    want: { title: 'Shop', url: 'https://a.example/' },
  },
  {
    name: 'alternatives by what is known',
    schema: properties({
      title: { anyOf: [{ type: 'null' }, STRING] },
      rating: { oneOf: [{ type: 'integer' }, { type: 'null' }] },
    }),
    want: { title: 'Shop', rating: 0 },
  },
  {
    name: 'nullable by a list of types',
    schema: properties({ title: { type: ['null', 'string'] } }),
    want: { title: 'Shop' },
  },
  {
    name: 'string lengths',
    schema: properties({ title: { type: 'string', maxLength: 2 }, code: { type: 'string', minLength: 3 } }),
    want: { title: 'Sh', code: '---' },
  },
  {
    name: 'formats',
    schema: properties({ day: { type: 'string', format: 'date' }, id: { type: 'string', format: 'uuid' } }),
    want: { day: '1970-01-01', id: '00000000-0000-0000-0000-000000000000' },
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
  },
  { name: 'defaults', schema: properties({ size: { type: 'integer', default: 7 } }), want: { size: 7 } },
  {
    name: 'a pattern that what was read does not match falls back',
    schema: properties({ title: { type: 'string', pattern: '^$' } }),
    want: { title: '' },
  },
  {
    name: 'another dialect',
    schema: { $schema: 'http://json-schema.org/draft-07/schema#', ...STRING },
    want: 'The answer',
  },
];

test.each(ROWS)('$name', ({ schema, want }) => {
  expect(conform(schema)).toEqual({ ok: true, output: want });
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
  ])('$name', ({ schema, want }) => {
    const conformed = conformOutput(schema, '-'.repeat(60), FACTS);
    expect(conformed).toEqual({ ok: false, reason: expect.stringContaining(want) });
  });
});
