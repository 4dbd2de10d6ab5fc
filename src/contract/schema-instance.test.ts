import { Ajv2020 } from 'ajv/dist/2020.js';
import formatsPlugin from 'ajv-formats';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { threadTimeMs } from '#lib/testing/thread-time.ts';
import type { JsonObject, JsonValue } from '#lib/json.ts';
import { schemaInstance } from './schema-instance.ts';

const ajv = new Ajv2020({ strict: false, logger: false });
formatsPlugin.default(ajv);

function conforms(schema: JsonObject, value: JsonValue): boolean {
  return ajv.compile(schema)(value);
}

const text = { type: 'string' };
const item: JsonObject = { type: 'object', properties: { name: text, price: { type: 'number' } }, required: ['name'] };

describe('an instance of a schema', () => {
  it.each<{ name: string; schema: JsonObject }>([
    {
      name: 'members of every type',
      schema: {
        type: 'object',
        properties: {
          a: text,
          b: { type: 'integer', minimum: 3 },
          c: { type: 'boolean' },
          d: { type: 'null' },
          e: { type: 'array', items: item },
        },
      },
    },
    {
      name: 'nullable members',
      schema: {
        type: 'object',
        properties: { a: { type: ['null', 'string'] }, b: { anyOf: [{ type: 'null' }, item] } },
        required: ['a', 'b'],
      },
    },
    {
      name: 'references and parts',
      schema: { allOf: [{ $ref: '#/$defs/A' }, { properties: { b: text }, required: ['b'] }], $defs: { A: item } },
    },
    {
      name: 'a recursive schema',
      schema: {
        $ref: '#/$defs/Node',
        $defs: {
          Node: {
            type: 'object',
            properties: { name: text, children: { type: 'array', items: { $ref: '#/$defs/Node' } } },
            required: ['name'],
          },
        },
      },
    },
    {
      name: 'alternatives with a discriminator',
      schema: {
        oneOf: [
          { type: 'object', properties: { kind: { const: 'a' }, x: text }, required: ['kind'] },
          { type: 'object', properties: { kind: { const: 'b' } }, required: ['kind'] },
        ],
      },
    },
    {
      name: 'formats and bounds',
      schema: {
        type: 'object',
        properties: {
          when: { type: 'string', format: 'date-time' },
          mail: { type: 'string', format: 'email', pattern: '@' },
          code: { type: 'string', minLength: 20, maxLength: 22 },
          share: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
          five: { type: 'integer', multipleOf: 5, minimum: 12 },
        },
        required: ['when', 'mail', 'code', 'share', 'five'],
      },
    },
    {
      name: 'lists with bounds',
      schema: { type: 'array', items: { enum: ['a', 'b', 'c'] }, minItems: 3, uniqueItems: true },
    },
    { name: 'tuples', schema: { type: 'array', prefixItems: [text, { type: 'integer' }], items: false } },
    {
      name: 'members that must exist and are not described',
      schema: { type: 'object', required: ['x'], additionalProperties: { type: 'integer' } },
    },
  ])('conforms: $name', ({ schema }) => {
    const value = schemaInstance(schema);
    expect(value).toBeDefined();
    expect(conforms(schema, value ?? null)).toBe(true);
    expect(schemaInstance(schema)).toEqual(value);
  });

  it.each<{ name: string; schema: JsonValue }>([
    { name: 'a pattern', schema: { type: 'string', pattern: '^[A-Z]{3}$' } },
    { name: 'a negation', schema: { not: { type: 'string' } } },
    { name: 'nothing allowed', schema: false },
    { name: 'bounds that exclude everything', schema: { type: 'integer', minimum: 4, maximum: 3 } },
    { name: 'an endless recursion', schema: { type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] } },
    { name: 'a reference to itself', schema: { $ref: '#' } },
    { name: 'a foreign reference', schema: { $ref: 'https://example.com/schema' } },
    { name: 'alternatives that overlap', schema: { oneOf: [{ type: 'integer' }, { type: 'number' }] } },
  ])('is undefined: $name', ({ schema }) => {
    expect(schemaInstance(schema)).toBeUndefined();
  });

  it('conforms to a random schema, or is undefined', () => {
    const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.record(
          {
            type: fc.constantFrom('string', 'integer', 'number', 'boolean', 'null'),
            minimum: fc.integer({ min: -9, max: 9 }),
            maximum: fc.integer({ min: -9, max: 9 }),
            exclusiveMinimum: fc.integer({ min: -9, max: 9 }),
            multipleOf: fc.constantFrom(1, 2, 0.5, 3),
            minLength: fc.nat(5),
            maxLength: fc.nat(9),
            format: fc.constantFrom('date', 'email', 'uuid', 'unknown'),
          },
          { requiredKeys: ['type'] },
        ),
        fc.record(
          {
            type: fc.constant('array'),
            items: tie('schema'),
            minItems: fc.nat(3),
            maxItems: fc.nat(4),
            uniqueItems: fc.boolean(),
          },
          { requiredKeys: ['type'] },
        ),
        fc.record(
          {
            type: fc.constant('object'),
            properties: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema')),
            required: fc.uniqueArray(fc.constantFrom('a', 'b', 'd')),
            minProperties: fc.nat(2),
            maxProperties: fc.nat(3),
            additionalProperties: fc.boolean(),
          },
          { requiredKeys: ['type'] },
        ),
        fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
        fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
        fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
        fc.record(
          {
            enum: fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { minLength: 1 }),
            type: fc.constantFrom('string', 'integer'),
          },
          { requiredKeys: ['enum'] },
        ),
      ),
    }));
    let made = 0;
    fc.assert(
      fc.property(schema, (given) => {
        const value = schemaInstance(given);
        if (value === undefined) return;
        made += 1;
        expect(conforms(given, value)).toBe(true);
      }),
      { numRuns: 600 },
    );
    expect(made).toBeGreaterThan(60);
  });

  it('is bounded for wide, deep and branching schemas', () => {
    let branching: JsonObject = text;
    for (let level = 0; level < 60; level += 1)
      branching = { anyOf: [{ allOf: [branching, { type: 'integer' }] }, branching] };
    const wide: JsonObject = {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`m${at}`, text])),
    };
    const before = threadTimeMs();
    for (const schema of [branching, wide, { type: 'array', minItems: 1e9 }, { type: 'string', minLength: 1e9 }])
      schemaInstance(schema);
    expect(threadTimeMs() - before).toBeLessThan(5_000);
  });
});
