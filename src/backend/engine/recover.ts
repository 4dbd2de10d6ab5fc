import { sessionById } from '../storage/sessions.ts';
import { failSession } from './fail-session.ts';
import type { EngineState } from './parts.ts';
import { finishPurges } from './purge-session.ts';
import { goOnWithAll } from './queue.ts';
import { startSandbox } from './start-sandbox.ts';

/**
 * Finds every session again that an earlier process left: a running task is ended as a crash and never run again, an idle
 * session stays idle without a browser until its next follow-up, a created one starts and its waiting task runs.
 */
export async function recover(engine: EngineState): Promise<void> {
  const left = await engine.db
    .selectFrom('sessions')
    .select(['id', 'status'])
    .where('status', 'in', ['created', 'idle', 'running'])
    .execute();
  // Calls of that process came to nothing that anybody knows of: their money is free again, and none of them is made again.
  await engine.db.deleteFrom('model_calls').execute();
  for (const { id, status } of left) {
    await closeBill(engine, id);
    if (status === 'running')
      await failSession(engine, id, { reason: 'the service ended while the task ran', kind: 'crash' });
    if (status === 'created') engine.inBackground(`start ${id}`, () => startSandbox(engine, id));
  }
  await finishPurges(engine);
  engine.inBackground('go on with what waits', () => goOnWithAll(engine));
  await engine.rearmInactivity();
}

/** The earlier process's browsers ended with it: their time counts up to the session's last sign of life, not to this start. */
async function closeBill(engine: EngineState, id: string): Promise<void> {
  const session = await sessionById(engine.db, id);
  if (session.browser_since === null) return;
  const ranMs = Math.max(session.updated_at - session.browser_since, 1);
  await engine.db
    .updateTable('sessions')
    .set({ browser_ms: session.browser_ms + ranMs, browser_since: null })
    .where('id', '=', id)
    .execute();
}
