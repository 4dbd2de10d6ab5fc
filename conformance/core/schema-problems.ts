import { createValidators as contractV2 } from '#generated/validators/contract-v2.ts';
import { createValidators as contractV3 } from '#generated/validators/contract-v3.ts';
import { createValidators as contractV4 } from '#generated/validators/contract-v4.ts';
import { createValidators as openapiV2 } from '#generated/validators/openapi-v2.ts';
import { createValidators as openapiV3 } from '#generated/validators/openapi-v3.ts';
import { type Validate, createValidators as openapiV4 } from '#generated/validators/openapi-v4.ts';
import type { JsonValue } from './json.ts';
import { validatorRuntime } from './file-validator.ts';

/**
 * For each module of generated validators, the function that creates its validators. The key is the part of a reference
 * before `#`.
 */
const creators = new Map([
  ['contract/v2', contractV2],
  ['contract/v3', contractV3],
  ['contract/v4', contractV4],
  ['openapi/v2', openapiV2],
  ['openapi/v3', openapiV3],
  ['openapi/v4', openapiV4],
]);

const created = new Map<string, Readonly<Record<string, Validate>>>();

/**
 * Returns the problems of a value by the schema at a reference such as `openapi/v3#/components/schemas/Session`. The
 * validators of a document are created at first use. Throws for an unknown reference.
 */
export function schemaProblems(reference: string, value: JsonValue): string[] {
  const validate = getValidator(reference);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    (error) => `${error.instancePath || 'the body'} ${error.message ?? 'is not valid'}`,
  );
}

function getValidator(reference: string): Validate {
  const document = reference.slice(0, reference.indexOf('#'));
  const known = created.get(document) ?? creators.get(document)?.(validatorRuntime) ?? {};
  created.set(document, known);
  const validate = known[reference];
  if (validate === undefined) throw new Error(`generated/validators: found nothing for ${reference}`);
  return validate;
}
