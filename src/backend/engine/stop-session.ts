import { type SessionRow, sessionById } from '../storage/sessions.ts';
import { activeRun } from './active-run.ts';
import { closedMeters } from './meters.ts';
import type { EngineState } from './parts.ts';
import { transition } from './transition.ts';

/** Stops a session for good; a session that has ended stays as it is. Answers the session afterwards. */
export async function stopSession(engine: EngineState, session: SessionRow): Promise<SessionRow> {
  const run = await activeRun(engine, session.id);
  const moved = await transition(engine, {
    sessionId: session.id,
    move: { id: 'stop' },
    set: closedMeters(engine, await sessionById(engine.db, session.id)),
    ...(run === null ? {} : { run: { id: run.id, status: 'cancelled', reason: 'session stopped' } }),
  });
  if (moved !== null) {
    engine.sandboxes.endTask(session.id, 'stopped');
    await engine.sandboxes.close(session.id);
  }
  return sessionById(engine.db, session.id);
}

/** Stops only the task that runs; the session returns to idle. Without a running task nothing changes. */
export async function stopTask(engine: EngineState, session: SessionRow): Promise<SessionRow> {
  const run = await activeRun(engine, session.id);
  const moved = await transition(engine, {
    sessionId: session.id,
    move: { id: 'stopTask' },
    ...(run === null ? {} : { run: { id: run.id, status: 'cancelled', reason: 'task stopped' } }),
  });
  if (moved !== null) engine.sandboxes.endTask(session.id, 'stopped');
  return sessionById(engine.db, session.id);
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
