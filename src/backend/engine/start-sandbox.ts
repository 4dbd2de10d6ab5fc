import { sessionById } from '../storage/sessions.ts';
import { beginQueuedRun } from './begin-run.ts';
import { launchFor } from './launch-browser.ts';
import type { EngineState } from './parts.ts';
import { transition } from './transition.ts';

/** Brings a created session to life: browser first, then its waiting task, else idle. A failed start ends in `error`. */
export async function startSandbox(engine: EngineState, sessionId: string): Promise<void> {
  const session = await sessionById(engine.db, sessionId);
  if (session.status !== 'created') return;
  const waiting = await queuedRun(engine, sessionId);
  const browser = await launchFor(engine, session, waiting?.id);
  if (browser === null) return;
  if (waiting !== undefined && (await beginQueuedRun(engine, session, waiting))) return;
  // No task, or it was stopped before it began. A session that was stopped itself gives the sandbox up.
  const moved = await transition(engine, { sessionId, move: { id: 'sandboxReady' } });
  if (moved === null) await engine.sandboxes.close(sessionId);
}

function queuedRun(engine: EngineState, sessionId: string): Promise<{ id: string; task: string } | undefined> {
  return engine.db
    .selectFrom('runs')
    .select(['id', 'task'])
    .where('session_id', '=', sessionId)
    .where('status', '=', 'queued')
    .orderBy('created_at')
    .executeTakeFirst();
}
