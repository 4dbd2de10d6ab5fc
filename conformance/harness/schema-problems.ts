import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { readDocuments } from './documents.ts';
import type { JsonValue } from './json.ts';

/** Problems of a value by the schema at a reference such as `openapi/v3#/components/schemas/Session`; empty when it fits. */
export type SchemaProblems = (reference: string, value: JsonValue) => string[];

/** Judges values by documents that are known as `<name>/<generation>`. Each schema is compiled when it is first used. */
export function createSchemaProblems(name: string, documents: ReturnType<typeof readDocuments>): SchemaProblems {
  let ajv: Ajv2020 | null = null;
  const compiled = new Map<string, ValidateFunction>();
  return (reference, value) => {
    ajv ??= newAjv(name, documents);
    const validate = compiled.get(reference) ?? ajv.compile({ $ref: reference });
    compiled.set(reference, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      (error) => `${error.instancePath || 'the body'} ${error.message ?? 'is not valid'}`,
    );
  };
}

/** The documents are judged when they are generated: once more would take longer than all of a short run. */
function newAjv(name: string, documents: ReturnType<typeof readDocuments>): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateFormats: true,
    validateSchema: false,
    // Shorter code judges no faster, and to shorten it takes as long as to write it.
    code: { optimize: false },
  });
  addFormats.default(ajv);
  for (const [generation, document] of Object.entries(documents)) ajv.addSchema(document, `${name}/${generation}`);
  return ajv;
}
