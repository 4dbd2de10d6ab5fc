import type { JsonValue } from '#lib/json.ts';
import { moveOf } from '#contract/lifecycle.ts';
import { sessionById } from '#store/queries/sessions.ts';
import { timeOutSession } from './inactivity.ts';
import { closedMeters } from './meters.ts';
import type { EngineState } from './parts.ts';
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
}

/** Writes a task's result together with the state change: to idle when the session is kept alive, else to its end. */
export async function completeRun(engine: EngineState, done: Completion): Promise<void> {
  const session = await sessionById(engine.db, done.sessionId);
  const move = { id: 'complete', condition: `keepAlive is ${session.keep_alive === 1}` };
  const output = done.output === null ? null : JSON.stringify(done.output);
  const stays = moveOf(engine.rules.lifecycle, { machine: 'session', ...move }).to === 'idle';
  const moved = await transition(engine, {
    sessionId: done.sessionId,
    move,
    set: (seen) => ({
      output,
      is_task_successful: done.success ? 1 : 0,
      ...(stays ? {} : closedMeters(engine, seen.session)),
    }),
    run: {
      id: done.runId,
      status: done.success ? 'succeeded' : 'failed',
      output,
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
