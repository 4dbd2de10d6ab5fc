import { activeRun } from '../storage/runs.ts';
import { isPending, markCut } from '../storage/queue.ts';
import { sessionById } from '../storage/sessions.ts';
import type { EngineState } from './parts.ts';
import { stopTask } from './stop-session.ts';

/**
 * Ends the run that is active for a message, and keeps which one it was, as long as the message waits: one that was taken
 * meanwhile has its own run, which goes on.
 */
export async function cutRun(engine: EngineState, sessionId: string, messageId: number): Promise<void> {
  let active: string | undefined;
  await stopTask(engine, await sessionById(engine.db, sessionId), {
    async provided(trx) {
      active = await activeRun(trx, sessionId);
      return isPending(trx, messageId);
    },
    async also(trx) {
      if (active !== undefined) await markCut(trx, messageId, active);
    },
  });
}
