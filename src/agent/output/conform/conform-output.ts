import type { JsonObject } from '#lib/json.ts';
import type { Conformed, Proposal } from '../../output-judge.ts';
import { compileSchema } from '../schema/compile-schema.ts';
import { factsByName } from '../../answer/facts-by-name.ts';
import { type Filled, fillSchema } from './fill-schema.ts';
import { SchemaTooLarge } from './schema-too-large.ts';

/**
 * Makes an output for a schema from what was read where names and types fit. What is not known is null, where the schema has
 * room for it, or else refused; test tasks, which read nothing, fill in the smallest value that conforms. Validated with JSON
 * Schema 2020-12, which takes as long as the schema makes it: for worker processes only.
 */
export function conformOutput(schema: JsonObject, { answer, facts, unknown }: Proposal): Conformed {
  const byName = facts === null ? () => undefined : factsByName(facts, typeof answer === 'string' ? answer : '');
  const candidates = [() => fillSchema(schema, answer, byName)];
  if (unknown === 'smallest') candidates.push(() => fillSchema(schema, undefined, () => undefined));
  try {
    return firstConforming(schema, candidates, unknown);
  } catch (error) {
    if (error instanceof SchemaTooLarge) return { ok: false, reason: error.message };
    throw error;
  }
}

function firstConforming(
  schema: JsonObject,
  candidates: readonly (() => Filled)[],
  unknown: Proposal['unknown'],
): Conformed {
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
