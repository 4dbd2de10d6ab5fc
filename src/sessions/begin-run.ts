import { titleOf } from '#agent/index.ts';
import type { SessionRow } from '#store/sessions.ts';
import type { EngineState } from './parts.ts';
import { type RunRef, executeRun } from './execute-run.ts';
import { transition } from './transition.ts';

/** Sets a created session's waiting task in motion; its idle moment is never visible (decision 8). False when it was ended before. */
export async function beginQueuedRun(engine: EngineState, session: SessionRow, run: RunRef): Promise<boolean> {
  const moved = await transition(engine, {
    sessionId: session.id,
    move: { id: 'dispatch', from: 'created' },
    set: (seen) => ({ title: seen.session.title ?? titleOf(run.task) }),
    run: { id: run.id, status: 'running' },
  });
  if (moved === null) return false;
  await executeRun(engine, session.id, run);
  return true;
}
