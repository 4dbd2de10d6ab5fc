import type { Transaction } from 'kysely';
import { inTransaction } from '#store/in-transaction.ts';
import type { Tables } from '#store/schema.ts';
import { activeRun } from '#store/runs.ts';
import type { EngineState } from './parts.ts';

/** Writes down what the browsers of this process have moved since it was written last, so that others know it and it outlives them. */
export async function bookTrafficOf(engine: EngineState): Promise<void> {
  for (const id of engine.sandboxes.ids()) if (engine.sandboxes.unbookedBytes(id) > 0) await book(engine, id);
}

async function book(engine: EngineState, id: string): Promise<void> {
  const { db, sandboxes, owners } = engine;
  const bytes = sandboxes.unbookedBytes(id);
  const write = async (trx: Transaction<Tables>): Promise<boolean> => {
    const { numUpdatedRows } = await trx
      .updateTable('sessions')
      .set((eb) => ({ proxy_bytes: eb('proxy_bytes', '+', bytes) }))
      .where('id', '=', id)
      .where('owner', '=', owners.self)
      // A closed bill stands still.
      .where('browser_since', 'is not', null)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return false;
    const run = await activeRun(trx, id);
    if (run !== undefined)
      await trx
        .updateTable('runs')
        .set((eb) => ({ proxy_bytes: eb('proxy_bytes', '+', bytes) }))
        .where('id', '=', run)
        .execute();
    return true;
  };
  const booked = await inTransaction(db, write, { of: [id] });
  const sandbox = sandboxes.get(id);
  if (booked && sandbox !== undefined) sandbox.bookedBytes += bytes;
}
