import type { Transaction, Updateable } from 'kysely';
import type { JsonObject } from '#domain/json.ts';
import { type MoveQuery, moveOf } from '#domain/lifecycle.ts';
import type { RunTable, SessionTable, Tables } from '../storage/schema.ts';
import type { EngineState } from './parts.ts';

/** One state change of a session. */
export interface Change {
  readonly sessionId: string;
  /** Id, condition and left state of the row in spec/rules/lifecycle.yaml. */
  readonly move: Omit<MoveQuery, 'machine'>;
  readonly set?: Updateable<SessionTable>;
  /** The task concerned and what becomes of it. */
  readonly run?: { readonly id: string; readonly status: RunTable['status']; readonly reason?: string };
  readonly data?: JsonObject;
  /** More writes of the same transaction. */
  readonly also?: (trx: Transaction<Tables>) => Promise<void>;
}

/**
 * Changes a session's state by one conditional write plus an event, in one transaction. Answers the new state, or null when
 * the session is in no state that the move leaves: somebody else was first, and nothing was written.
 */
export async function transition(engine: EngineState, change: Change): Promise<string | null> {
  const move = moveOf(engine.rules.lifecycle, { machine: 'session', ...change.move });
  const now = engine.clock.now();
  const done = await engine.db.transaction().execute(async (trx) => {
    const written = await trx
      .updateTable('sessions')
      .set({ ...change.set, status: move.to, updated_at: now, active_at: now })
      .where('id', '=', change.sessionId)
      .where('status', 'in', [...move.from])
      .executeTakeFirst();
    if (written.numUpdatedRows === 0n) return false;
    await writeRun(trx, change, now);
    await change.also?.(trx);
    const event = { session_id: change.sessionId, run_id: change.run?.id ?? null, created_at: now };
    await trx
      .insertInto('events')
      .values({ ...event, type: `session.${change.move.id}`, data: JSON.stringify(change.data ?? {}) })
      .execute();
    return true;
  });
  if (!done) return null;
  engine.log.info({ session: change.sessionId, move: change.move.id, to: move.to }, 'session moved');
  await engine.rearmInactivity();
  return move.to;
}

async function writeRun(trx: Transaction<Tables>, change: Change, now: number): Promise<void> {
  if (change.run === undefined) return;
  const ended = change.run.status !== 'running' && change.run.status !== 'queued';
  await trx
    .updateTable('runs')
    .set({ status: change.run.status, reason: change.run.reason ?? null, ended_at: ended ? now : null })
    .where('id', '=', change.run.id)
    .execute();
}
