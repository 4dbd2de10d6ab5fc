import type { SelectQueryBuilder } from 'kysely';
import type { Tables } from '#store/schema.ts';
import { limitOf } from '#contract/rule-book.ts';
import { closedMeters } from './meters.ts';
import type { EngineState } from './parts.ts';
import { queuedRun } from '#store/queries/runs.ts';
import { inTransaction } from '#store/transaction.ts';
import { transition } from './transition.ts';

/** Which browser is released. */
interface Release {
  /** The session was last used at this time or before, in milliseconds since the epoch. */
  readonly usedBefore: number;
  /** Statuses in which the browser is released, also of a session that does not outlive its browser. @defaultValue idle, of others alone */
  readonly statuses?: readonly ('idle' | 'running')[];
}

/**
 * Releases the browser of an idle session; the session keeps its status, and its next run starts a new browser. Without effect when the
 * session has another status, was used later, or has no browser.
 */
export async function letGo(engine: EngineState, sessionId: string, release: Release): Promise<void> {
  const { usedBefore, statuses } = release;
  const released = await inTransaction(
    engine.db,
    async (trx) => {
      const session = await trx
        .selectFrom('sessions')
        .selectAll()
        .where('id', '=', sessionId)
        .where('status', 'in', statuses ?? ['idle'])
        .where('resumable', 'in', statuses === undefined ? [1] : [0, 1])
        .where('active_at', '<=', usedBefore)
        .where('browser_since', 'is not', null)
        .executeTakeFirst();
      if (session === undefined) return null;
      await trx.updateTable('sessions').set(closedMeters(engine, session)).where('id', '=', sessionId).execute();
      // Inside the transaction: a run that is dispatched after it finds no browser, and starts a new one.
      return { gone: engine.sandboxes.close(sessionId) };
    },
    { of: [sessionId] },
  );
  await released?.gone;
}

/** The idle sessions that outlive their browser and still have one: a few of many, found by the browsers of this process. */
export function lingeringSessions({ db, sandboxes }: EngineState): SelectQueryBuilder<Tables, 'sessions', object> {
  const ids = sandboxes.ids();
  return db
    .selectFrom('sessions')
    .where('id', 'in', ids.length === 0 ? [''] : ids)
    .where('status', '=', 'idle')
    .where('resumable', '=', 1)
    .where('browser_since', 'is not', null);
}

/** Gives up the sandbox that starts for a session which outlives it: the session is idle at once, and nothing starts for nothing. */
export async function giveUpStart(engine: EngineState, sessionId: string): Promise<void> {
  const moved = await transition(engine, {
    sessionId,
    move: { id: 'sandboxReady' },
    onlyIf: (session) => session.resumable === 1,
    set: (seen) => closedMeters(engine, seen.session),
    provided: async (trx) => (await queuedRun(trx, sessionId)) === undefined,
    // Inside the transaction: a run that is dispatched after it finds no sandbox, and starts a new one.
    also: async () => ({ gone: engine.sandboxes.close(sessionId) }),
  });
  if (moved === null) return;
  await moved.also?.gone;
  await engine.goOn(sessionId);
}

/** Idle browsers of sessions that outlive them are few: the one that was not used for longest goes first. */
export async function letGoOfTooMany(engine: EngineState): Promise<void> {
  const lingering = await lingeringSessions(engine).select(['id', 'active_at']).orderBy('active_at', 'desc').execute();
  const tooMany = lingering.slice(limitOf(engine.rules, 'lingeringBrowsers'));
  for (const { id, active_at: usedBefore } of tooMany) await letGo(engine, id, { usedBefore });
}
