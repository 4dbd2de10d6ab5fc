import { isPending, markCut } from '#store/queries/queue.ts';
import { sessionById } from '#store/queries/sessions.ts';
import type { EngineState } from './parts.ts';
import { stopTask } from './stop-session.ts';

/**
 * Ends the run that is active for a message, and keeps which one it was, as long as the message waits: one that was taken
 * meanwhile has its own run, which goes on.
 */
export async function cutRun(engine: EngineState, sessionId: string, messageId: number): Promise<void> {
  await stopTask(engine, await sessionById(engine.db, sessionId), {
    provided: (trx) => isPending(trx, messageId),
    async also(trx, [stopped]) {
      if (stopped !== undefined) await markCut(trx, messageId, stopped);
    },
  });
}
