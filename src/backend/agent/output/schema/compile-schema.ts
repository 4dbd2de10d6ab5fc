import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { bounded, isTimeout, timedOut } from './bounded.ts';
import { checkSchemaBounds } from './check-schema-bounds.ts';

/** What is wrong with a value, in words, the first of its faults first; [] when it conforms. */
export type SchemaJudge = (value: JsonValue) => readonly string[];

/** Nobody reads more, and a long list of one fault could have thousands. */
const ERRORS_MAX = 10;

/**
 * Why an output schema from outside cannot be used, or null: too large, too deep, remote references, no JSON Schema, or too
 * slow to compile. The request refuses with it, so that nobody pays for a browser to learn of it (decision 3).
 */
export function checkOutputSchema(schema: JsonObject): string | null {
  const outOfBounds = checkSchemaBounds(schema);
  if (outOfBounds !== null) return outOfBounds;
  const compiled = bounded(() => compileSchema(schema));
  if (compiled === timedOut) return 'the output schema takes too long to check';
  return typeof compiled === 'string' ? compiled : null;
}

/**
 * A judge of values, or a sentence when the schema is not one. Blocks as long as it takes: call it in {@link bounded}. With
 * `all` it goes on after the first fault, which can cost much memory: ask for it in a worker only.
 */
export function compileSchema(schema: JsonObject, { all = false } = {}): SchemaJudge | string {
  // A dialect's address would be looked up as if it were another document; every dialect is checked as 2020-12.
  const { $schema: _dialect, ...rest } = schema;
  // An asynchronous validator answers a promise, which no caller of ours awaits.
  if ('$async' in rest) return 'the output schema asks for asynchronous validation ($async)';
  const ajv = new Ajv2020({ strict: false, validateFormats: true, allErrors: all });
  addFormats.default(ajv);
  try {
    const validate = ajv.compile(rest);
    return (value) =>
      validate(value) ? [] : [...new Set((validate.errors ?? [undefined]).map(describe))].slice(0, ERRORS_MAX);
  } catch (error) {
    if (isTimeout(error)) throw error;
    // Ajv throws plain errors for every kind of malformed schema.
    return `the output schema is not valid (${error instanceof Error ? error.message : String(error)})`;
  }
}

function describe(error: ErrorObject | undefined): string {
  return `${error?.instancePath === '' ? 'the output' : error?.instancePath} ${error?.message ?? 'does not conform'}`;
}
