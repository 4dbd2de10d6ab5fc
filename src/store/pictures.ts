import type { Transaction } from 'kysely';
import type { Database } from './database.ts';
import { inTransaction } from './in-transaction.ts';
import { prepareInsert } from './insert-row.ts';
import { unmarkLoose } from './loose-blobs.ts';
import { prepareQuery } from './prepare-query.ts';
import type { Tables } from './schema.ts';

/** Gives a session bytes that were on the list of loose blobs, as its latest picture; false when it is to be purged. */
export function givePicture(db: Database, sessionId: string, key: string): Promise<boolean> {
  return inTransaction(db, (trx) => givePictureIn(trx, sessionId, key), { of: [sessionId] });
}

const addPicture = prepareInsert('pictures');

const setPicture = prepareQuery<{ readonly key: string; readonly sessionId: string }, unknown>(
  ['key', 'sessionId'],
  (db, { key, sessionId }) =>
    db
      .updateTable('sessions')
      .set({ screenshot_key: key })
      .where('id', '=', sessionId)
      .where('purge_state', 'is', null),
);

/** The same as part of a transaction. */
export async function givePictureIn(trx: Transaction<Tables>, sessionId: string, key: string): Promise<boolean> {
  const { numAffectedRows } = await setPicture(trx, { key, sessionId });
  if (numAffectedRows === 0n) return false;
  await addPicture(trx, { key, session_id: sessionId });
  await unmarkLoose(trx, [key]);
  return true;
}
