import { runState } from '#generated/states.ts';
import { sessionById } from '#store/queries/sessions.ts';
import { cancelQueuedRun, queuedRuns } from '#store/queries/runs.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import { inTransaction, type Transaction } from '#store/transaction.ts';
import { cancelStart } from './inactivity.ts';
import type { EngineState } from './engine-deps.ts';
import { transition } from './transition.ts';

/** Options of {@link stopTask}: the task to stop, a condition, and additional writes in the same transaction. */
export interface TaskStop {
  /** Id of the run to stop; absent for the queued or running run. */
  readonly runId?: string;
  /** A further condition, read in the same transaction; if it returns false, nothing is stopped. */
  readonly provided?: (trx: Transaction) => Promise<boolean>;
  /** Further writes in the same transaction. Receives the ids of the stopped runs. */
  readonly also?: (trx: Transaction, stopped: readonly string[]) => Promise<void>;
}

/**
 * Stops only the task of a session. A running task is ended and the session returns to idle; a task that waits for the
 * sandbox never starts. Does nothing without a task.
 */
export async function stopTask(engine: EngineState, session: SessionRow, stop: TaskStop = {}): Promise<SessionRow> {
  const { runId, also, ...within } = stop;
  const bytes = (): number => engine.sandboxes.bookBytes(session.id);
  const only = runId === undefined ? {} : { id: runId };
  const run = { status: runState.cancelled, reason: 'task stopped', bytes, ...only } as const;
  const moved = await transition(engine, {
    sessionId: session.id,
    move: { id: 'stopTask' },
    run,
    ...within,
    async also(trx, stopped) {
      await also?.(trx, stopped);
      return stopped;
    },
  });
  if (moved === null) {
    const cancelled = await cancelQueued(engine, session.id, stop);
    // A resumable session without a task needs no browser. Any other session waits for its first task and keeps its
    // browser.
    if (cancelled) await cancelStart(engine, session.id);
  } else {
    // The next task may have been dispatched since.
    engine.sandboxes.endTasks(session.id, 'stopped', moved.also ?? []);
    await engine.goOn(session.id);
  }
  return sessionById(engine.db, session.id);
}

/**
 * Cancels the session's queued runs, or only `runId`. Returns false if none was queued or `provided` returned false.
 */
async function cancelQueued(
  engine: EngineState,
  sessionId: string,
  { runId, provided, also }: TaskStop,
): Promise<boolean> {
  return inTransaction(
    engine.db,
    async (trx) => {
      const waiting = await queuedRuns(trx, sessionId, runId);
      if (waiting.length === 0 || (await provided?.(trx)) === false) return false;
      for (const { id, createdAt } of waiting)
        await cancelQueuedRun(trx, { sessionId, id, now: Math.max(engine.clock.now(), createdAt) });
      await also?.(
        trx,
        waiting.map(({ id }) => id),
      );
      return true;
    },
    { of: [sessionId] },
  );
}
