import { moveOf, type Worker } from '#contract/lifecycle.ts';
import type { JsonValue } from '#lib/json.ts';
import { isPending, markCut } from '#store/queries/queue.ts';
import { sessionById } from '#store/queries/sessions.ts';
import { timeOutSession } from './inactivity.ts';
import { closedMeters } from './meters.ts';
import type { EngineState } from './parts.ts';
import type { TaskEndKind } from './sandboxes.ts';
import { stopTask } from './stop-session.ts';
import { transition } from './transition.ts';

/** How a task ended by itself or at its ceiling. */
export interface Completion {
  readonly sessionId: string;
  readonly runId: string;
  readonly success: boolean;
  readonly output: JsonValue;
  readonly reason?: string;
  /** Whether a session that can time out has done so at once. @defaultValue false */
  readonly isAbandoned?: boolean;
  /** Absent where its steps and calls have told. */
  readonly worker?: Worker;
}

/** Writes a task's result together with the state change: to idle when the session is kept alive, else to its end. */
export async function completeRun(engine: EngineState, done: Completion): Promise<void> {
  const session = await sessionById(engine.db, done.sessionId);
  const move = { id: 'complete', condition: `keepAlive is ${session.keep_alive === 1}` };
  const output = done.output === null ? null : JSON.stringify(done.output);
  const answered = done.worker === undefined ? {} : { answered_by: done.worker };
  const stays = moveOf(engine.rules.lifecycle, { machine: 'session', ...move }).to === 'idle';
  const moved = await transition(engine, {
    sessionId: done.sessionId,
    move,
    set: (seen) => ({
      output,
      is_task_successful: done.success ? 1 : 0,
      ...answered,
      ...(stays ? {} : closedMeters(engine, seen.session)),
    }),
    run: {
      id: done.runId,
      status: done.success ? 'succeeded' : 'failed',
      output,
      ...(done.worker === undefined ? {} : { worker: done.worker }),
      ...(stays ? { bytes: () => engine.sandboxes.bookBytes(done.sessionId) } : {}),
      ...(done.reason === undefined ? {} : { reason: done.reason }),
    },
    data: { success: done.success, ...(done.reason === undefined ? {} : { reason: done.reason }) },
  });
  if (moved === null) return;
  if (!stays) await engine.sandboxes.close(done.sessionId);
  if (stays && done.isAbandoned === true && session.resumable === 0) await timeOutSession(engine, done.sessionId);
  await engine.goOn(done.sessionId);
}

/**
 * Ends the run that is active for a message, and keeps which one it was, as long as the message waits: one that was taken
 * meanwhile has its own run, which goes on.
 */
export async function cutRun(engine: EngineState, sessionId: string, messageId: number): Promise<void> {
  await stopTask(engine, await sessionById(engine.db, sessionId), {
    provided: (trx) => isPending(trx, messageId),
    async also(trx, [stopped]) {
      if (stopped !== undefined) await markCut(trx, messageId, stopped);
    },
  });
}

/** Why a session fails: in words, and what its task is told. */
export interface Failure {
  readonly reason: string;
  readonly kind: Extract<TaskEndKind, 'crash' | 'shutdown'>;
  /** The one run that failed: when it has ended already, nothing is written. Absent for whichever waits or runs. */
  readonly runId?: string;
  /** A further condition, asked when it is written. */
  readonly onlyIf?: () => boolean;
  /** Whether it may be the session of another process, which is dead. @defaultValue false */
  readonly evenElsewhere?: boolean;
}

/**
 * Ends a session in `error`, its task as crashed, and gives its sandbox up; a resumable one stays idle without a browser.
 * Without effect on a session that has ended.
 */
export async function failSession(engine: EngineState, sessionId: string, failure: Failure): Promise<void> {
  const { reason, kind, runId, onlyIf, evenElsewhere = false } = failure;
  const resumable = (await sessionById(engine.db, sessionId)).resumable === 1;
  // The transaction may be done again: what an earlier try has closed stays closed.
  let hasClosed = false;
  const isClosedByEarlierTry = (): boolean => hasClosed && engine.sandboxes.get(sessionId) === undefined;
  const moved = await transition(engine, {
    sessionId,
    move: { id: resumable ? 'failRun' : 'failure' },
    set: ({ session, hadRun }) => ({ ...closedMeters(engine, session), ...(hadRun ? { is_task_successful: 0 } : {}) }),
    run: { status: 'crashed', reason, ...(runId === undefined ? {} : { id: runId }) },
    ...(onlyIf === undefined ? {} : { onlyIf: () => onlyIf() || isClosedByEarlierTry() }),
    data: { reason },
    evenElsewhere,
    // Inside the transaction: whatever comes after it finds no sandbox, and no bill is opened for this one any more.
    also: async () => {
      engine.sandboxes.endTasks(sessionId, kind);
      hasClosed = true;
      return { gone: engine.sandboxes.close(sessionId) };
    },
  });
  // Whoever ended the session before has given its sandbox up.
  if (moved === null) return;
  await moved.also?.gone;
  await engine.goOn(sessionId);
}
