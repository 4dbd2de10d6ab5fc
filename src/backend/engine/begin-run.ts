import { titleOf } from '../agent/index.ts';
import type { SessionRow } from '../storage/sessions.ts';
import type { EngineState } from './parts.ts';
import { executeRun } from './execute-run.ts';
import { transition } from './transition.ts';

/** Sets a created session's waiting task in motion; its idle moment is never visible (design section 8). */
export async function beginQueuedRun(
  engine: EngineState,
  session: SessionRow,
  run: { id: string; task: string },
): Promise<void> {
  const moved = await transition(engine, {
    sessionId: session.id,
    move: { id: 'dispatch', from: 'created' },
    set: { title: session.title ?? titleOf(run.task) },
    run: { id: run.id, status: 'running' },
  });
  if (moved === null) {
    await engine.sandboxes.close(session.id);
    return;
  }
  await executeRun(engine, session.id, run);
}
