import { sessionById } from '../storage/sessions.ts';
import type { EngineState } from './parts.ts';

/** A browser that ended with its process: its time counts up to the session's last sign of life, not to now. */
export async function closeBill(engine: EngineState, id: string): Promise<void> {
  const session = await sessionById(engine.db, id);
  if (session.browser_since === null) return;
  const ranMs = Math.max(session.updated_at - session.browser_since, 1);
  await engine.db
    .updateTable('sessions')
    .set({ browser_ms: session.browser_ms + ranMs, browser_since: null })
    .where('id', '=', id)
    // Somebody else can be clearing up after the same process.
    .where('browser_since', '=', session.browser_since)
    .execute();
}
