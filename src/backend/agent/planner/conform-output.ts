import { runInNewContext } from 'node:vm';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { checkSchemaBounds } from './check-schema-bounds.ts';
import type { ByName } from './facts-by-name.ts';
import { fillSchema } from './fill-schema.ts';
import { SchemaTooLarge } from './schema-too-large.ts';

/** An output that conforms to the schema, or why there is none. */
export type Conformed =
  | { readonly ok: true; readonly output: JsonValue }
  | { readonly ok: false; readonly reason: string };

/** A schema from outside can hold a pattern that takes for ever on the right text. */
const TIMEOUT_MS = 1_000;

/**
 * Makes an output for a schema: from what was read where names and types fit, else the smallest value that conforms.
 * Validated with JSON Schema 2020-12; the work is given up after a second.
 */
export function conformOutput(schema: JsonObject, answer: string, byName: ByName): Conformed {
  const outOfBounds = checkSchemaBounds(schema);
  if (outOfBounds !== null) return { ok: false, reason: outOfBounds };
  try {
    return bounded(() => firstConforming(schema, answer, byName));
  } catch (error) {
    if (error instanceof SchemaTooLarge) return { ok: false, reason: error.message };
    if (isTimeout(error)) return { ok: false, reason: 'the output schema takes too long to check' };
    throw error;
  }
}

function firstConforming(schema: JsonObject, answer: string, byName: ByName): Conformed {
  const validate = validatorOf(schema);
  if (typeof validate === 'string') return { ok: false, reason: validate };
  const candidates = [() => fillSchema(schema, answer, byName), () => fillSchema(schema, undefined, () => undefined)];
  let reason = '';
  for (const candidate of candidates) {
    const output = candidate();
    const problem = validate(output);
    if (problem === null) return { ok: true, output };
    reason ||= problem;
  }
  return { ok: false, reason: `no output could be made that conforms to the output schema (${reason})` };
}

/** A function that names the first violation, or a sentence when the schema itself is not one. */
function validatorOf(schema: JsonObject): ((value: JsonValue) => string | null) | string {
  // A dialect's address would be looked up as if it were another document; every dialect is checked as 2020-12.
  const { $schema: _dialect, ...rest } = schema;
  const ajv = new Ajv2020({ strict: false, validateFormats: true });
  addFormats.default(ajv);
  try {
    const validate = ajv.compile(rest);
    return (value) => (validate(value) ? null : describe(validate.errors?.[0]));
  } catch (error) {
    if (isTimeout(error)) throw error;
    // Ajv throws plain errors for every kind of malformed schema.
    return `the output schema is not valid (${error instanceof Error ? error.message : String(error)})`;
  }
}

function describe(error: ErrorObject | undefined): string {
  return `${error?.instancePath === '' ? 'the output' : error?.instancePath} ${error?.message ?? 'does not conform'}`;
}

/** Runs some work that blocks; V8 ends it, even inside of a regular expression, when the time is up. */
function bounded(work: () => Conformed): Conformed {
  const results: Conformed[] = [];
  runInNewContext('run()', { run: () => void results.push(work()) }, { timeout: TIMEOUT_MS });
  const [result] = results;
  if (result === undefined) throw new TypeError('The work ended without a result.');
  return result;
}

function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
