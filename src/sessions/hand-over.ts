import { inTransaction } from '#store/transaction.ts';
import { noOwner } from '#store/queries/workers.ts';
import { closedMeters } from './meters.ts';
import type { EngineState } from './parts.ts';

/**
 * Gives an idle session up, so that another worker can have it: its browser goes with what it had, and its next task gets a fresh one.
 * Without effect on a session that works, starts or has ended, and on one of somebody else.
 */
export async function handOver(engine: EngineState, sessionId: string): Promise<void> {
  const { self } = engine.owners;
  if (self === null) return;
  const given = await inTransaction(
    engine.db,
    async (trx) => {
      const session = await trx
        .selectFrom('sessions')
        .selectAll()
        .where('id', '=', sessionId)
        .where('owner', '=', self)
        .where('status', '=', 'idle')
        .executeTakeFirst();
      if (session === undefined) return null;
      await trx.updateTable('sessions').set(closedMeters(engine, session)).where('id', '=', sessionId).execute();
      // Inside the transaction: a run that is dispatched after it finds no browser here, and starts a new one.
      return { gone: engine.sandboxes.close(sessionId) };
    },
    { of: [sessionId] },
  );
  if (given === null) return;
  await given.gone;
  await engine.tasks.ended(sessionId);
  // Only now: its profile must have been kept before another browser starts from it.
  await engine.db
    .updateTable('sessions')
    .set(noOwner)
    .where('id', '=', sessionId)
    .where('owner', '=', self)
    .where('status', '=', 'idle')
    .execute();
}

/** Gives up every idle session of this process; those that work follow when they are idle. */
export async function handOverIdle(engine: EngineState): Promise<void> {
  const { self } = engine.owners;
  if (self === null) return;
  const rows = await engine.db
    .selectFrom('sessions')
    .select('id')
    .where('owner', '=', self)
    .where('status', '=', 'idle')
    .execute();
  await Promise.all(rows.map(({ id }) => handOver(engine, id)));
}
