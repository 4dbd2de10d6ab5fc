import type { JsonObject } from '#lib/json.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import { type JobFailure, createWorkerPool, poolLimits } from '../../workers/worker-pool.ts';
import { workerAddress } from '../../workers/worker-process.ts';
import type { Judged, OutputJudge } from '../../output-judge.ts';
import { checkSchemaBounds, schemaBounds } from './schema-bounds.ts';
import type { SchemaJob, SchemaReply } from './schema-job.ts';

/**
 * Reason why a schema is rejected: a violation as text, too many waiting schemas of the project, or the shutdown of
 * the service.
 */
export type SchemaRefusal = { readonly reason: string } | 'busy' | 'closed';

/** Messages for schemas whose check exceeded a limit. */
const tooCostly = {
  time: 'the output schema takes too long to check',
  memory: 'the output schema takes too much memory to check',
} as const;

/** Messages for outputs that could not be judged. */
const notJudged: Readonly<Record<JobFailure, string>> = {
  time: 'the output takes too long to check against the output schema',
  memory: 'the output takes too much memory to check against the output schema',
  busy: 'too many outputs wait to be checked against their schemas',
  closed: 'the service ended before the output was checked',
};

/**
 * Validation of the outputs of all projects in worker processes, with round-robin scheduling between projects. Its
 * creator closes it.
 */
export interface OutputJudges {
  /** Checks a schema before a request is accepted. Returns null if outputs can be judged by the schema. */
  checkSchema(projectId: string, schema: JsonObject): Promise<SchemaRefusal | null>;
  /** Returns the judge for the tasks of a project. */
  of(projectId: string): OutputJudge;
  /** Ends the worker processes; waiting judgements fail. */
  close(): Promise<void>;
}

/** Creates the output validation of a service. No worker process starts before the first schema. */
export function createOutputJudges(rules: RuleBook): OutputJudges {
  const limits = poolLimits(rules);
  const bounds = schemaBounds(rules);
  const charactersMax = getLimit(rules, 'outputCharacters');
  const pool = createWorkerPool<SchemaJob, SchemaReply>(workerAddress('schema-worker', import.meta.url), limits);

  /**
   * Runs a job for a task. Tasks and requests have separate queues, so that many requests cannot fail tasks of the same
   * project.
   */
  async function ask(projectId: string, job: SchemaJob): Promise<SchemaReply> {
    const outOfBounds = checkSchemaBounds(job.schema, bounds);
    if (outOfBounds !== null) return { faults: [outOfBounds] };
    // Each task waits for one judgement at a time, so the project's active sessions limit the number of waiting
    // judgements.
    const result = await pool.run(`tasks ${projectId}`, job, Number.POSITIVE_INFINITY);
    return result.ok ? result.output : { faults: [notJudged[result.failure]] };
  }

  return {
    async checkSchema(projectId, schema) {
      const outOfBounds = checkSchemaBounds(schema, bounds);
      if (outOfBounds !== null) return { reason: outOfBounds };
      const result = await pool.run(`requests ${projectId}`, { kind: 'compile', schema });
      if (!result.ok)
        return result.failure === 'time' || result.failure === 'memory'
          ? { reason: tooCostly[result.failure] }
          : result.failure;
      const [reason] = result.output.faults;
      return reason === undefined ? null : { reason };
    },
    of: (projectId) => ({
      async check(schema, value) {
        const valueText = JSON.stringify(value);
        if (valueText.length > charactersMax) return refused([`the output has more than ${charactersMax} characters`]);
        const { faults } = await ask(projectId, { kind: 'judge', schema, valueText });
        return faults.length === 0 ? { ok: true } : refused(faults);
      },
      async conform(schema, proposal) {
        const { faults, output = null } = await ask(projectId, { kind: 'conform', schema, proposal });
        const [reason] = faults;
        return reason === undefined ? { ok: true, output } : { ok: false, reason };
      },
    }),
    close: () => pool.close(),
  };
}

function refused(errors: readonly string[]): Judged {
  return { ok: false, errors };
}
