import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { JsonObject, JsonValue } from '#lib/json.ts';

/** What is wrong with a value, in words, the first of its faults first; [] when it conforms. */
export type SchemaJudge = (value: JsonValue) => readonly string[];

/** A longer list helps neither a client nor a model, and one fault can occur thousands of times. */
const ERRORS_MAX = 10;

/**
 * Returns a judge of values, or a sentence when the schema is not valid. Both may take any time and memory: call it in a worker process
 * only. With `all` the judge goes on after the first fault, which can cost much memory.
 */
export function compileSchema(schema: JsonObject, { all = false } = {}): SchemaJudge | string {
  // A dialect's address would be looked up as if it were another document; every dialect is checked as 2020-12.
  const { $schema: _dialect, ...rest } = schema;
  // An asynchronous validator answers a promise, which no caller of ours awaits.
  if ('$async' in rest) return 'the output schema asks for asynchronous validation ($async)';
  // Optimised code takes ten times as long to generate, and is used once.
  const ajv = new Ajv2020({ strict: false, validateFormats: true, allErrors: all, code: { optimize: false } });
  addFormats.default(ajv);
  try {
    const validate = ajv.compile(rest);
    return (value) =>
      validate(value) ? [] : [...new Set((validate.errors ?? [undefined]).map(describe))].slice(0, ERRORS_MAX);
  } catch (error) {
    // Ajv throws plain errors for every kind of malformed schema.
    return `the output schema is not valid (${error instanceof Error ? error.message : String(error)})`;
  }
}

function describe(error: ErrorObject | undefined): string {
  return `${error?.instancePath === '' ? 'the output' : error?.instancePath} ${error?.message ?? 'does not conform'}`;
}
