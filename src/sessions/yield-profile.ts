import { endStates } from '#contract/lifecycle.ts';
import { releaseLease } from '#store/profile-leases.ts';
import type { SessionRow } from '#store/sessions.ts';
import { inTransaction } from '#store/in-transaction.ts';
import { letGo } from './linger.ts';
import type { EngineState } from './parts.ts';

/**
 * Gives back the profile of a session that somebody else wants: a browser that only lingers for a possible next run goes, and one
 * that is on its way out is waited for. A session that works, or is kept alive because its owner asked for that, keeps its profile.
 */
export async function yieldProfile(engine: EngineState, sessionId: string): Promise<void> {
  await letGo(engine, sessionId, { usedBefore: engine.clock.now() });
  await releaseUnused(engine, sessionId);
  await engine.sandboxes.gone(sessionId);
}

/** What no browser of the session uses: nobody starts one for an ended session, nor for a resumable one before its next run. */
async function releaseUnused(engine: EngineState, sessionId: string): Promise<void> {
  const ended = await inTransaction(
    engine.db,
    async (trx) => {
      const session = await trx
        .selectFrom('sessions')
        .select(['status', 'resumable'])
        .where('id', '=', sessionId)
        .executeTakeFirst();
      if (session === undefined) return false;
      // Inside the transaction: a run that is dispatched after it takes the profile again.
      if (isIdleWithoutBrowser(engine, sessionId, session)) await releaseLease(trx, sessionId);
      return endStates(engine.rules.lifecycle, 'session').includes(session.status);
    },
    { of: [sessionId] },
  );
  // Whoever ended it gives its sandbox up a moment later.
  if (ended) await engine.sandboxes.close(sessionId);
}

function isIdleWithoutBrowser(
  { sandboxes }: EngineState,
  sessionId: string,
  { status, resumable }: Pick<SessionRow, 'status' | 'resumable'>,
): boolean {
  const sandbox = sandboxes.get(sessionId);
  const isUsed = sandbox !== undefined && (sandbox.browser !== undefined || sandbox.launching !== undefined);
  return status === 'idle' && resumable === 1 && !isUsed && !sandboxes.isLeaving(sessionId);
}
