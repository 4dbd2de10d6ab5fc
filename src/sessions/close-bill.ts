import { sessionById } from '#store/queries/sessions.ts';
import type { EngineState } from './parts.ts';

/**
 * A browser that ended with its process: its time counts up to the end of that process as far as it is known, so that no amount that
 * somebody was shown becomes less, and up to the session's own last sign of life where that is later.
 */
export async function closeBill(engine: EngineState, id: string, endedAt: number): Promise<void> {
  const session = await sessionById(engine.db, id);
  if (session.browser_since === null) return;
  const ranMs = Math.max(Math.max(session.updated_at, endedAt) - session.browser_since, 1);
  await engine.db
    .updateTable('sessions')
    .set({ browser_ms: session.browser_ms + ranMs, browser_since: null })
    .where('id', '=', id)
    // Somebody else can be clearing up after the same process.
    .where('browser_since', '=', session.browser_since)
    .execute();
}
