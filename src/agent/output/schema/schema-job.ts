import type { JsonObject, JsonValue } from '#lib/json.ts';
import type { Proposal } from '../../output-judge.ts';
import { conformOutput } from './conform-output.ts';
import { compileSchema } from './schema-types.ts';

/**
 * A message that asks a worker process to check a schema (`compile`), to validate an output (`judge`) or to create an
 * output (`conform`).
 */
export type SchemaJob =
  | { readonly kind: 'compile'; readonly schema: JsonObject }
  /** The value is JSON text, so that its size is known. */
  | { readonly kind: 'judge'; readonly schema: JsonObject; readonly valueText: string }
  | { readonly kind: 'conform'; readonly schema: JsonObject; readonly proposal: Proposal };

/**
 * Reply of a worker process: the violations as sentences. If a job creates an output and the list is empty, the reply
 * contains the output.
 */
export interface SchemaReply {
  readonly faults: readonly string[];
  readonly output?: JsonValue;
}

/**
 * Maximum size of a validation that continues after the first violation: the length of the schema times the length of
 * the value, in characters. One value can violate every part of the schema at every part of the value.
 */
const charactersForAll = 4_000_000;

/** Executes a job in unbounded time. A schema that refers to itself without end results in a violation. */
export function runSchemaJob(job: SchemaJob): SchemaReply {
  try {
    return run(job);
  } catch (error) {
    if (error instanceof RangeError) return { faults: ['the output schema refers to itself without end'] };
    throw error;
  }
}

function run(job: SchemaJob): SchemaReply {
  const { schema } = job;
  if (job.kind === 'conform') {
    const conformed = conformOutput(schema, job.proposal);
    return conformed.ok ? { faults: [], output: conformed.output } : { faults: [conformed.reason] };
  }
  const all = job.kind === 'judge' && JSON.stringify(schema).length * job.valueText.length <= charactersForAll;
  const judge = compileSchema(schema, { all });
  if (typeof judge === 'string') return { faults: [judge] };
  return { faults: job.kind === 'judge' ? judge(JSON.parse(job.valueText)) : [] };
}
