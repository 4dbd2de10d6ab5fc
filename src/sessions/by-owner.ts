import type { SessionCommand } from '#cluster/index.ts';
import type { RunOfSession, SessionRow } from '#store/schema.ts';
import { sessionById } from '#store/queries/sessions.ts';
import { handOverIdle } from './hand-over.ts';
import { type Ending, endAsAsked, obey } from './obey.ts';
import type { EngineState } from './parts.ts';
import { createSweep } from './sweep.ts';
import { inTransaction } from '#store/transaction.ts';
import { releaseLease } from '#store/queries/profiles.ts';
import { noOwner, silenceOf } from '#store/queries/workers.ts';
import { closeBill } from './close-bill.ts';
import { failSession } from './fail-session.ts';
import { finishPurges } from './purge-session.ts';

/** What of the engine is done by the owner of a session, wherever it is asked for, and what an owner does for others. */
export interface ByOwner {
  stop(session: SessionRow, strategy: 'session' | 'task'): Promise<SessionRow>;
  /** Stops one run of a session that lives on; without effect when it has ended. */
  stopRun(found: RunOfSession): Promise<SessionRow>;
  remove(session: SessionRow): Promise<void>;
  /** Erases everything about a session but its meters; a living one is stopped first. */
  purge(session: SessionRow): Promise<void>;
  /** Ends the sandbox of a living session as a failure would; for fault injection. */
  crash(sessionId: string): Promise<void>;
  /** Does what another process asks of the owner of a session, which is this one. */
  obey(command: SessionCommand): Promise<void>;
  /** What a process does again and again: see `createSweep` and `buryOwner`. */
  lookAfter(): Promise<void>;
  bury(owner: string): Promise<void>;
  /** Gives up every idle session, so that other workers can have them. */
  handOver(): Promise<void>;
}

/** Operations that are carried to the owner, which usually is this process; from now on it gives profiles back that others want. */
export function createByOwner(engine: EngineState): ByOwner {
  const perform = async (command: SessionCommand): Promise<void> => {
    await engine.owners.perform(command, async () => {
      await obey(engine, command);
      return {};
    });
  };
  const end = async (session: SessionRow, command: Ending): Promise<SessionRow> => {
    await engine.owners.perform(command, async () => {
      await endAsAsked(engine, command, session);
      return {};
    });
    return sessionById(engine.db, session.id);
  };
  const sweep = createSweep(engine);
  engine.browserProfiles.onWanted((sessionId) => perform({ op: 'yieldSession', sessionId }));
  return {
    stopRun: ({ run, session }) => end(session, { op: 'stopRun', sessionId: session.id, runId: run.id }),
    stop: (session, strategy) => end(session, { op: 'stop', sessionId: session.id, strategy }),
    purge: async (session) => void (await end(session, { op: 'purge', sessionId: session.id })),
    remove: async (session) => void (await end(session, { op: 'remove', sessionId: session.id })),
    crash: (sessionId) => perform({ op: 'crash', sessionId }),
    obey: (command) => obey(engine, command),
    lookAfter: () => sweep.run(),
    bury: (owner) => buryOwner(engine, owner),
    handOver: () => handOverIdle(engine),
  };
}

/** Whoever lives sees within this time that a process is dead (decision 048). */
const seenMs = 30_000;

const crash = { reason: 'the service ended while the task ran', kind: 'crash' } as const;

/**
 * Clears up after a worker that is dead: its tasks end as crashes and are never run again, its idle sessions stay idle, what it was to
 * start is started by others. Whoever else does the same at this moment does no harm; to be done again is without effect.
 */
async function buryOwner(engine: EngineState, owner: string): Promise<void> {
  const owned = await engine.db
    .selectFrom('sessions')
    .select(['id', 'status'])
    .where('owner', '=', owner)
    .where('status', 'in', ['created', 'idle', 'running'])
    .execute();
  // Up to now others have counted its time on; in vain only where nobody was there to see that it is dead.
  const endedAt = engine.clock.now() - Math.max(0, (await silenceOf(engine.db, owner)) - seenMs);
  for (const { id, status } of owned) {
    await engine.db.deleteFrom('model_calls').where('session_id', '=', id).execute();
    await closeBill(engine, id, endedAt);
    if (status === 'running') await failSession(engine, id, { ...crash, evenElsewhere: true });
    await free(engine, id, owner);
  }
  if (owned.length > 0) await finishPurges(engine);
}

/** Nobody owns it any more, and an idle one has no browser that could use its profile. */
async function free(engine: EngineState, id: string, owner: string): Promise<void> {
  await inTransaction(
    engine.db,
    async (trx) => {
      const row = await trx
        .updateTable('sessions')
        .set(noOwner)
        .where('id', '=', id)
        .where('owner', '=', owner)
        .returning('status')
        .executeTakeFirst();
      if (row !== undefined && row.status !== 'created') await releaseLease(trx, id);
    },
    { of: [id] },
  );
}
