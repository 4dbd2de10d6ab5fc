import { inTransaction } from '#store/in-transaction.ts';
import { releaseLease } from '#store/profile-leases.ts';
import { noOwner, silenceOf } from '#store/workers.ts';
import { closeBill } from './close-bill.ts';
import { failSession } from './fail-session.ts';
import type { EngineState } from './parts.ts';
import { finishPurges } from './purge-session.ts';

/** Whoever lives sees within this time that a process is dead (decision 048). */
const seenMs = 30_000;

const crash = { reason: 'the service ended while the task ran', kind: 'crash' } as const;

/**
 * Clears up after a worker that is dead: its tasks end as crashes and are never run again, its idle sessions stay idle, what it was to
 * start is started by others. Whoever else does the same at this moment does no harm; to be done again is without effect.
 */
export async function buryOwner(engine: EngineState, owner: string): Promise<void> {
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
