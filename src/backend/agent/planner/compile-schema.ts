import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { bounded, isTimeout, timedOut } from './bounded.ts';
import { checkSchemaBounds } from './check-schema-bounds.ts';

/** Names the first violation of a value, or null when it conforms. */
export type SchemaJudge = (value: JsonValue) => string | null;

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

/** A judge of values, or a sentence when the schema is not one. Blocks as long as it takes: call it in {@link bounded}. */
export function compileSchema(schema: JsonObject): SchemaJudge | string {
  // A dialect's address would be looked up as if it were another document; every dialect is checked as 2020-12.
  const { $schema: _dialect, ...rest } = schema;
  // An asynchronous validator answers a promise, which no caller of ours awaits.
  if ('$async' in rest) return 'the output schema asks for asynchronous validation ($async)';
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
