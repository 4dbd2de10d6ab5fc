import type { JsonObject, JsonValue } from '#domain/json.ts';
import { bounded, timedOut } from '../output/schema/bounded.ts';
import { checkSchemaBounds } from '../output/schema/check-schema-bounds.ts';
import { compileSchema } from '../output/schema/compile-schema.ts';
import type { ByName } from './facts-by-name.ts';
import { type Filled, fillSchema } from './fill-schema.ts';
import { SchemaTooLarge } from './schema-too-large.ts';

/** An output that conforms to the schema, or why there is none. */
export type Conformed =
  | { readonly ok: true; readonly output: JsonValue }
  | { readonly ok: false; readonly reason: string };

/** What becomes of a member that the schema requires and nothing is known of. */
export type Unknown = 'refuse' | 'smallest';

/**
 * Makes an output for a schema from what was read where names and types fit. What is not known is null, where the schema has
 * room for it, or else refused; test tasks, which read nothing, fill in the smallest value that conforms. Validated with JSON
 * Schema 2020-12; the work is given up after a second.
 */
export function conformOutput(
  schema: JsonObject,
  { answer, byName, unknown }: { readonly answer: JsonValue; readonly byName: ByName; readonly unknown: Unknown },
): Conformed {
  const outOfBounds = checkSchemaBounds(schema);
  if (outOfBounds !== null) return { ok: false, reason: outOfBounds };
  const candidates = [() => fillSchema(schema, answer, byName)];
  if (unknown === 'smallest') candidates.push(() => fillSchema(schema, undefined, () => undefined));
  try {
    const conformed = bounded(() => firstConforming(schema, candidates, unknown));
    return conformed === timedOut ? { ok: false, reason: 'the output schema takes too long to check' } : conformed;
  } catch (error) {
    if (error instanceof SchemaTooLarge) return { ok: false, reason: error.message };
    throw error;
  }
}

function firstConforming(schema: JsonObject, candidates: readonly (() => Filled)[], unknown: Unknown): Conformed {
  const judge = compileSchema(schema);
  if (typeof judge === 'string') return { ok: false, reason: judge };
  let reason = '';
  for (const candidate of candidates) {
    const filled = candidate();
    if (unknown === 'refuse' && filled.unknown.length > 0) return { ok: false, reason: untold(filled.unknown) };
    const [problem] = judge(filled.value);
    if (problem === undefined) return { ok: true, output: filled.value };
    reason ||= problem;
  }
  return { ok: false, reason: `no output could be made that conforms to the output schema (${reason})` };
}

/** So many places are named. */
const NAMED_MAX = 5;

function untold(unknown: readonly string[]): string {
  const names = unknown.slice(0, NAMED_MAX).map((path) => (path === '' ? 'the value itself' : `"${path}"`));
  const more = unknown.length > NAMED_MAX ? ` and ${unknown.length - NAMED_MAX} more` : '';
  return `nothing that was read tells ${names.join(', ')}${more}`;
}
