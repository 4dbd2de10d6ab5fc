import type { Worker } from '#contract/lifecycle.ts';
import { type InsertRow, prepared, preparedInsert } from '../prepare.ts';
import type { RunOfSession, RunRow } from '../tables/runs.ts';
import type { SessionRow } from '../tables/sessions.ts';
import { type Transaction, inTransaction } from '../transaction.ts';
import type { Executor } from '../executor.ts';
import { unmarkUnreferenced } from '../blobs/unreferenced-blobs.ts';
import type { Database } from '../database.ts';

/** Inserts a step. */
export const addStep: InsertRow<'steps'> = preparedInsert('steps');

/** Usage of a step. */
export interface StepUse {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Cost of the tokens in pico-dollars. */
  readonly picos: number;
  /** Proxy traffic since the last step, in bytes. */
  readonly bytes: number;
  /** Worker that made the step. */
  readonly worker: Worker;
}

/** Usage of a step, and its summary and time, which the row of the session shows. */
interface ShownStep extends StepUse {
  readonly sessionId: string;
  readonly summary: string;
  /** Time of the step in milliseconds since the epoch. */
  readonly now: number;
}

/** Adds the usage of a step to its session and run, and returns both. Throws when one of them does not exist. */
export async function bookUse(
  trx: Transaction,
  { runId, ...step }: ShownStep & { readonly runId: string },
): Promise<RunOfSession> {
  const { sessionId, now, summary, ...use } = step;
  const [session] = (await onSession.run(trx, { sessionId, now, summary, ...use })).rows;
  const [run] = (await onRun.run(trx, { runId, ...use })).rows;
  if (session === undefined || run === undefined) throw new Error(`there is no run ${runId} of a session ${sessionId}`);
  return { session, run };
}

const uses = ['inputTokens', 'outputTokens', 'picos', 'bytes', 'worker'] as const;

const onSession = prepared<ShownStep, SessionRow>(['sessionId', 'summary', 'now', ...uses], (db, step) =>
  db
    .updateTable('sessions')
    .set((eb) => ({
      stepCount: eb('stepCount', '+', 1),
      lastStepSummary: step.summary,
      inputTokens: eb('inputTokens', '+', step.inputTokens),
      outputTokens: eb('outputTokens', '+', step.outputTokens),
      llmPicos: eb('llmPicos', '+', step.picos),
      proxyBytes: eb('proxyBytes', '+', step.bytes),
      answeredBy: step.worker,
      updatedAt: step.now,
      activeAt: step.now,
    }))
    .where('id', '=', step.sessionId)
    .returningAll(),
);

const onRun = prepared<StepUse & { readonly runId: string }, RunRow>(['runId', ...uses], (db, step) =>
  db
    .updateTable('runs')
    .set((eb) => ({
      inputTokens: eb('inputTokens', '+', step.inputTokens),
      outputTokens: eb('outputTokens', '+', step.outputTokens),
      llmPicos: eb('llmPicos', '+', step.picos),
      proxyBytes: eb('proxyBytes', '+', step.bytes),
      answeredBy: step.worker,
    }))
    .where('id', '=', step.runId)
    .returningAll(),
);

/** Returns the end times of a session's steps in milliseconds since the epoch, oldest first, by the id of the run. */
export async function listStepTimes(db: Executor, sessionId: string): Promise<ReadonlyMap<string, number[]>> {
  const steps = await db
    .selectFrom('steps')
    .innerJoin('runs', 'runs.id', 'steps.runId')
    .select(['runs.id as runId', 'steps.createdAt'])
    .where('runs.sessionId', '=', sessionId)
    .orderBy('steps.id')
    .execute();
  const byRun = Map.groupBy(steps, ({ runId }) => runId);
  return new Map(Array.from(byRun, ([runId, ofRun]) => [runId, ofRun.map(({ createdAt: at }) => at)]));
}

/** Makes an unreferenced blob the latest screenshot of a session; false when a purge of the session was requested. */
export function givePicture(db: Database, sessionId: string, key: string): Promise<boolean> {
  return inTransaction(db, (trx) => givePictureIn(trx, sessionId, key), { of: [sessionId] });
}

const addPicture = preparedInsert('pictures');

const setPicture = prepared<{ readonly key: string; readonly sessionId: string }, unknown>(
  ['key', 'sessionId'],
  (db, { key, sessionId }) =>
    db.updateTable('sessions').set({ screenshotKey: key }).where('id', '=', sessionId).where('purgeState', 'is', null),
);

/**
 * Makes an unreferenced blob the latest screenshot of a session, within a transaction; false when a purge of the
 * session was requested.
 */
export async function givePictureIn(trx: Transaction, sessionId: string, key: string): Promise<boolean> {
  const { numAffectedRows } = await setPicture.run(trx, { key, sessionId });
  if (numAffectedRows === 0n) return false;
  await addPicture(trx, { key, sessionId });
  await unmarkUnreferenced(trx, [key]);
  return true;
}

/** The blob key of a step's screenshot, and the event of the step. */
export interface StepPicture {
  readonly eventId: number;
  readonly key: string;
}

/**
 * Returns the screenshots of a run's steps, oldest first; steps without a screenshot are left out. A step and its event
 * are written in one transaction, so the n-th event belongs to the n-th step.
 */
export async function listStepPictures(db: Executor, runId: string): Promise<StepPicture[]> {
  const steps = await db
    .selectFrom('steps')
    .select('screenshotKey as key')
    .where('runId', '=', runId)
    .orderBy('id')
    .execute();
  // Read after the steps: an event that is written between the two reads is one too many, never one too few.
  const events = await db
    .selectFrom('events')
    .select('id')
    .where('runId', '=', runId)
    .where('type', '=', 'step')
    .orderBy('id')
    .limit(steps.length)
    .execute();
  return events.flatMap(({ id }, index) => {
    const key = steps[index]?.key ?? null;
    return key === null ? [] : [{ eventId: id, key }];
  });
}
