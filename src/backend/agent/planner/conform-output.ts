import type { JsonObject, JsonValue } from '#domain/json.ts';
import { bounded, timedOut } from '../output/schema/bounded.ts';
import { checkSchemaBounds } from '../output/schema/check-schema-bounds.ts';
import { compileSchema } from '../output/schema/compile-schema.ts';
import type { ByName } from './facts-by-name.ts';
import { fillSchema } from './fill-schema.ts';
import { SchemaTooLarge } from './schema-too-large.ts';

/** An output that conforms to the schema, or why there is none. */
export type Conformed =
  | { readonly ok: true; readonly output: JsonValue }
  | { readonly ok: false; readonly reason: string };

/**
 * Makes an output for a schema: from what was read where names and types fit, else the smallest value that conforms.
 * Validated with JSON Schema 2020-12; the work is given up after a second.
 */
export function conformOutput(schema: JsonObject, answer: string, byName: ByName): Conformed {
  const outOfBounds = checkSchemaBounds(schema);
  if (outOfBounds !== null) return { ok: false, reason: outOfBounds };
  try {
    const conformed = bounded(() => firstConforming(schema, answer, byName));
    return conformed === timedOut ? { ok: false, reason: 'the output schema takes too long to check' } : conformed;
  } catch (error) {
    if (error instanceof SchemaTooLarge) return { ok: false, reason: error.message };
    throw error;
  }
}

function firstConforming(schema: JsonObject, answer: string, byName: ByName): Conformed {
  const judge = compileSchema(schema);
  if (typeof judge === 'string') return { ok: false, reason: judge };
  const candidates = [() => fillSchema(schema, answer, byName), () => fillSchema(schema, undefined, () => undefined)];
  let reason = '';
  for (const candidate of candidates) {
    const output = candidate();
    const [problem] = judge(output);
    if (problem === undefined) return { ok: true, output };
    reason ||= problem;
  }
  return { ok: false, reason: `no output could be made that conforms to the output schema (${reason})` };
}
