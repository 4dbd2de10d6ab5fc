import { type RawBuilder, sql } from 'kysely';
import { runState } from '#generated/states.ts';
import type { Transaction } from '../transaction.ts';
import type { Executor } from '../executor.ts';

/** A pending model call, whose maximum cost is reserved. */
export interface ModelCall {
  readonly id: string;
  readonly projectId: string;
  readonly sessionId: string;
  readonly runId: string;
  /** Reserved maximum cost of the call in pico-dollars. */
  readonly reservedPicos: number;
  readonly createdAtMs: number;
}

/** Inserts a pending call. */
export async function insertModelCall(trx: Transaction, call: ModelCall): Promise<void> {
  await trx
    .insertInto('model_calls')
    .values({
      id: call.id,
      projectId: call.projectId,
      sessionId: call.sessionId,
      runId: call.runId,
      reservedPicos: call.reservedPicos,
      createdAt: call.createdAtMs,
    })
    .execute();
}

/** Returns the reserved costs of the pending calls of a session, in pico-dollars. */
export async function reservedOfSession(trx: Transaction, sessionId: string): Promise<number[]> {
  const query = trx.selectFrom('model_calls').select('reservedPicos').where('sessionId', '=', sessionId);
  return (await query.execute()).map(({ reservedPicos: picos }) => picos);
}

/** Returns the reserved costs of the pending calls of a project, in pico-dollars. */
export async function reservedOfProject(trx: Transaction, projectId: string): Promise<number[]> {
  const query = trx.selectFrom('model_calls').select('reservedPicos').where('projectId', '=', projectId);
  return (await query.execute()).map(({ reservedPicos: picos }) => picos);
}

/** Returns the reserved costs of the pending calls of all sessions that a key has created, in pico-dollars. */
export async function reservedOfKey(trx: Transaction, keyId: string): Promise<number[]> {
  const query = trx
    .selectFrom('model_calls')
    .innerJoin('sessions', 'sessions.id', 'model_calls.sessionId')
    .select('model_calls.reservedPicos')
    .where('sessions.keyId', '=', keyId);
  return (await query.execute()).map(({ reservedPicos: picos }) => picos);
}

/** Deletes a pending call, and so releases its reserved cost. Returns false if the call was deleted before. */
export async function deleteModelCall(db: Executor, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('model_calls').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Deletes the pending calls of a session, or of all sessions for null, and so releases their reserved costs. */
export async function releaseModelCalls(db: Executor, sessionId: string | null): Promise<void> {
  const all = db.deleteFrom('model_calls');
  await (sessionId === null ? all : all.where('sessionId', '=', sessionId)).execute();
}

/** Usage of a completed model call. */
export interface CallUse {
  readonly sessionId: string;
  readonly runId: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Cost of the call in pico-dollars. */
  readonly picos: number;
  readonly nowMs: number;
}

/**
 * Largest amount of tokens or pico-dollars that a row holds after a model call, about 8,900 US dollars. A driver cannot
 * read a larger amount than the largest safe integer, and the steps of other workers add their own small amounts.
 */
const amountMax = Number.MAX_SAFE_INTEGER - 1e14;

/** Returns the SQL of a column plus an amount of at least 0: at most `amountMax`, or the column if it holds more. */
function added(column: string, amount: number): RawBuilder<number> {
  const [held, max, more] = [sql.ref<number>(column), sql.lit(amountMax), Math.min(amount, amountMax)];
  return sql<number>`case when ${held} > ${max} then ${held} when ${held} > ${max} - ${more} then ${max}
    else ${held} + ${more} end`;
}

/** Adds the usage of a model call to its run and session; false if the run is not running any more. */
export async function bookCallUse(trx: Transaction, use: CallUse): Promise<boolean> {
  const { nowMs } = use;
  const usage = {
    inputTokens: added('inputTokens', use.inputTokens),
    outputTokens: added('outputTokens', use.outputTokens),
    llmPicos: added('llmPicos', use.picos),
    answeredBy: 'model' as const,
  };
  const booked = await trx
    .updateTable('runs')
    .set(usage)
    .where('id', '=', use.runId)
    .where('status', '=', runState.running)
    .executeTakeFirst();
  if (booked.numUpdatedRows === 0n) return false;
  await trx
    .updateTable('sessions')
    .set({ ...usage, updatedAt: nowMs, activeAt: nowMs })
    .where('id', '=', use.sessionId)
    .execute();
  return true;
}
