import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createValidators as baseline } from '#generated/validators/baseline.ts';
import { createValidators as contractV2 } from '#generated/validators/contract-v2.ts';
import { createValidators as contractV3 } from '#generated/validators/contract-v3.ts';
import { createValidators as contractV4 } from '#generated/validators/contract-v4.ts';
import { createValidators as openapiV2 } from '#generated/validators/openapi-v2.ts';
import { createValidators as openapiV3 } from '#generated/validators/openapi-v3.ts';
import { createValidators as openapiV4 } from '#generated/validators/openapi-v4.ts';
import { createValidators as report } from '#generated/validators/report.ts';
import { type Validate, createValidators as target } from '#generated/validators/target.ts';
import { operations } from '#generated/operations.ts';
import { baselineSchema } from '../report/baseline/baseline.ts';
import { fileValidator, validatorRuntime } from './file-validator.ts';
import { targetSchema } from './target-schema.ts';
import { schemaProblems } from './schema-problems.ts';
import { readDocuments } from './documents.ts';
import { type JsonObject, type JsonValue, parseJson } from './json.ts';
import { damaged, damagedOnce } from '../testing/damaged.ts';
import { createSamples } from '../testing/create-samples.ts';

const reportSchema = parseJson(readFileSync('spec/meta/report.schema.json', 'utf8')) as JsonObject;
const [contract, openapi] = [readDocuments('contract'), readDocuments('openapi')];

/** Creates a compiler with which the suite would validate documents if it had no generated validators. */
function compiler(options: Options): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, ...options, validateSchema: false, code: { optimize: false } });
  addFormats.default(ajv);
  return ajv;
}

/**
 * Returns at most two values on which the generated and the compiled validator disagree. Tries samples, samples with
 * one change at any depth, and samples with several changes.
 */
function differences(samples: readonly JsonValue[], validate: Validate, compiled: ValidateFunction): JsonValue[] {
  const values = samples.flatMap((sample) => [
    sample,
    ...damagedOnce(sample),
    ...fc.sample(damaged(sample), { numRuns: 50, seed: 1 }),
  ]);
  const found = values.filter(
    (value) => !isDeepStrictEqual([validate(value), validate.errors], [compiled(value), compiled.errors]),
  );
  return found.slice(0, 2);
}

describe.each([
  ['contract/v2', contract.v2, contractV2],
  ['contract/v3', contract.v3, contractV3],
  ['contract/v4', contract.v4, contractV4],
  ['openapi/v2', openapi.v2, openapiV2],
  ['openapi/v3', openapi.v3, openapiV3],
  ['openapi/v4', openapi.v4, openapiV4],
])('the validators of %s', (id, document, createValidators) => {
  const generated = Object.entries(createValidators(validatorRuntime));
  const ajv = compiler({ strict: false }).addSchema(document, id);
  const cases = generated.map(([reference, validate]) => ({
    reference,
    validate,
    compiled: ajv.compile({ $ref: reference }),
    samples: createSamples(document, { $ref: reference.slice(reference.indexOf('#')) }),
  }));

  it('say of every value what validators say that are compiled in the run, error by error', () => {
    for (const { reference, validate, compiled, samples } of cases)
      expect([reference, differences(samples, validate, compiled)]).toEqual([reference, []]);
  });

  it('take most of what was made to fit, so that not only refusals are compared', () => {
    const fitting = cases.filter(({ validate, samples }) => samples.some((sample) => validate(sample)));
    expect(fitting.length / cases.length).toBeGreaterThan(0.7);
  });
});

describe.each([
  {
    file: 'a target',
    create: target,
    schema: targetSchema(operations),
    ajv: compiler({ inlineRefs: false, verbose: true, allowUnionTypes: true }),
  },
  { file: 'a baseline', create: baseline, schema: baselineSchema as unknown as JsonObject, ajv: compiler({}) },
  { file: 'a report', create: report, schema: reportSchema, ajv: compiler({ strict: false, allErrors: false }) },
])('the validator of $file', ({ create, schema, ajv }) => {
  it('says of every file what one says that is compiled in the run, error by error', () => {
    const [validate, compiled] = [fileValidator<Validate>(create), ajv.compile(schema)];
    // The schema of a target has a member for every operation: two samples make about ten thousand values.
    expect(differences(createSamples(schema, schema).slice(0, 2), validate, compiled)).toEqual([]);
  });
});

it('a reference that no validator was made for is an error, not a value that fits', () => {
  expect(() => schemaProblems('contract/v3#/components/schemas/Nobody', {})).toThrow('found nothing for');
  expect(() => schemaProblems('elsewhere#/components/schemas/Session', {})).toThrow('found nothing for');
});
