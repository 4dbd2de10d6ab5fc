import { type SessionRow, sessionById } from '../storage/sessions.ts';
import { closedMeters } from './meters.ts';
import type { EngineState } from './parts.ts';
import { transition } from './transition.ts';

/** Stops a session for good; a session that has ended stays as it is. Answers the session afterwards. */
export async function stopSession(engine: EngineState, session: SessionRow): Promise<SessionRow> {
  const moved = await transition(engine, {
    sessionId: session.id,
    move: { id: 'stop' },
    set: (seen) => closedMeters(engine, seen.session),
    run: { status: 'cancelled', reason: 'session stopped' },
  });
  if (moved !== null) {
    engine.sandboxes.endTask(session.id, 'stopped');
    await engine.sandboxes.close(session.id);
  }
  return sessionById(engine.db, session.id);
}

/**
 * Stops only the task: one that runs is ended and the session returns to idle, one that waits for its sandbox never starts.
 * Without a task nothing changes.
 */
export async function stopTask(engine: EngineState, session: SessionRow): Promise<SessionRow> {
  const run = { status: 'cancelled', reason: 'task stopped' } as const;
  const moved = await transition(engine, { sessionId: session.id, move: { id: 'stopTask' }, run });
  if (moved === null) await cancelQueued(engine, session.id);
  else engine.sandboxes.endTask(session.id, 'stopped');
  return sessionById(engine.db, session.id);
}

async function cancelQueued(engine: EngineState, sessionId: string): Promise<void> {
  await engine.db
    .updateTable('runs')
    .set({ status: 'cancelled', reason: 'task stopped', ended_at: engine.clock.now() })
    .where('session_id', '=', sessionId)
    .where('status', '=', 'queued')
    .execute();
}

/** Takes a session out of sight; a living one is stopped first. */
export async function deleteSession(engine: EngineState, session: SessionRow): Promise<void> {
  await stopSession(engine, session);
  await engine.db
    .updateTable('sessions')
    .set({ deleted_at: engine.clock.now() })
    .where('id', '=', session.id)
    .execute();
}
