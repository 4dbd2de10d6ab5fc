import { runState, sessionStatus } from '#generated/states.ts';
import { findTransition, type Worker } from '#contract/lifecycle.ts';
import type { JsonValue } from '#lib/json.ts';
import { isPending, recordInterruption } from '#store/queries/queue.ts';
import { sessionById } from '#store/queries/sessions.ts';
import { timeOutSession } from './inactivity.ts';
import { closedMeters } from './meters.ts';
import type { EngineState } from './engine-deps.ts';
import { stopTask } from './stop-task.ts';
import { type RunChange, transition } from './transition.ts';

/** Normal end of a task, or its end at the cost limit. */
export interface Completion {
  readonly sessionId: string;
  readonly runId: string;
  readonly success: boolean;
  readonly output: JsonValue;
  readonly reason?: string;
  /** Further tasks that the model suggests after this task. @defaultValue none */
  readonly suggestions?: readonly string[];
  /** Whether a session that stays alive times out at once; ignored for a resumable session. @defaultValue false */
  readonly isAbandoned?: boolean;
  /** Worker that completed the run; absent when the steps and calls of the run have recorded the worker. */
  readonly worker?: Worker;
}

/**
 * Writes a task's result together with the state change: to idle for a kept-alive session, otherwise to an end state.
 */
export async function completeRun(engine: EngineState, done: Completion): Promise<void> {
  const session = await sessionById(engine.db, done.sessionId);
  const move = { id: 'complete', condition: `keepAlive is ${session.keepAlive === 1}` };
  const output = done.output === null ? null : JSON.stringify(done.output);
  const answered = done.worker === undefined ? {} : { answeredBy: done.worker };
  const reason = done.reason === undefined ? {} : { reason: done.reason };
  const stays = findTransition(engine.rules.lifecycle, move).to === sessionStatus.idle;
  const moved = await transition(engine, {
    sessionId: done.sessionId,
    move,
    set: (seen) => ({
      output,
      isTaskSuccessful: done.success ? 1 : 0,
      ...answered,
      ...(stays ? {} : closedMeters(engine, seen.session)),
    }),
    run: {
      id: done.runId,
      output,
      ...runResult(done),
      ...(stays ? { bytes: () => engine.sandboxes.bookBytes(done.sessionId) } : {}),
    },
    data: { success: done.success, ...reason },
  });
  if (moved === null) return;
  if (!stays) await engine.sandboxes.close(done.sessionId);
  if (stays && done.isAbandoned === true && session.resumable === 0) await timeOutSession(engine, done.sessionId);
  await engine.goOn(done.sessionId);
}

type RunResult = Pick<RunChange, 'status' | 'worker' | 'suggestions' | 'reason'>;

function runResult({ success, worker, suggestions, reason }: Completion): RunResult {
  return {
    status: success ? runState.succeeded : runState.failed,
    ...(worker === undefined ? {} : { worker }),
    ...(suggestions === undefined ? {} : { suggestions: JSON.stringify(suggestions) }),
    ...(reason === undefined ? {} : { reason }),
  };
}

/**
 * Interrupts the active run for a message, and records the id of this run in the message. Does nothing if the message
 * is not pending any more, because a message that was dispatched meanwhile has its own run.
 */
export async function interruptRun(engine: EngineState, sessionId: string, messageId: number): Promise<void> {
  await stopTask(engine, await sessionById(engine.db, sessionId), {
    provided: (trx) => isPending(trx, messageId),
    async also(trx, [stopped]) {
      if (stopped !== undefined) await recordInterruption(trx, messageId, stopped);
    },
  });
}
