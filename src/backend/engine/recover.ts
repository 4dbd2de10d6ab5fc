import { sessionById } from '../storage/sessions.ts';
import { failSession } from './fail-session.ts';
import { closedMeters } from './meters.ts';
import type { EngineState } from './parts.ts';
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
  for (const { id, status } of left) {
    if (status === 'running')
      await failSession(engine, id, { reason: 'the service ended while the task ran', kind: 'crash' });
    if (status === 'idle') await closeBill(engine, id);
    if (status === 'created') engine.inBackground(`start ${id}`, () => startSandbox(engine, id));
  }
  await engine.rearmInactivity();
}

async function closeBill(engine: EngineState, id: string): Promise<void> {
  const session = await sessionById(engine.db, id);
  if (session.browser_since === null) return;
  await engine.db.updateTable('sessions').set(closedMeters(engine, session)).where('id', '=', id).execute();
}
