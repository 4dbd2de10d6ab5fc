import type { Transaction } from 'kysely';
import type { Database } from './database.ts';
import { inTransaction } from './in-transaction.ts';
import { unmarkLoose } from './loose-blobs.ts';
import type { Tables } from './schema.ts';

/** Gives a session bytes that were on the list of loose blobs, as its latest picture; false when it is to be purged. */
export function givePicture(db: Database, sessionId: string, key: string): Promise<boolean> {
  return inTransaction(db, (trx) => givePictureIn(trx, sessionId, key), { of: [sessionId] });
}

/** The same as part of a transaction. */
export async function givePictureIn(trx: Transaction<Tables>, sessionId: string, key: string): Promise<boolean> {
  const given = await trx
    .updateTable('sessions')
    .set({ screenshot_key: key })
    .where('id', '=', sessionId)
    .where('purge_state', 'is', null)
    .executeTakeFirst();
  if (given.numUpdatedRows === 0n) return false;
  await trx.insertInto('pictures').values({ key, session_id: sessionId }).execute();
  await unmarkLoose(trx, [key]);
  return true;
}
