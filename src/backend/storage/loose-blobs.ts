import type { Database } from './database.ts';

/**
 * Keys of blobs that no row owns: an upload that has not been taken in yet, or a file that was removed. A key stands here
 * before its bytes are written and leaves in the transaction that gives them to a row, so that a crash leaves no bytes that
 * nobody knows of.
 */
export async function markLoose(db: Database, keys: readonly string[], now: number): Promise<void> {
  for (const key of keys) await db.insertInto('loose_blobs').values({ key, created_at: now }).execute();
}

/** Takes keys off the list: a row owns their bytes now, or they are gone. */
export async function unmarkLoose(db: Database, keys: readonly string[]): Promise<void> {
  for (const key of keys) await db.deleteFrom('loose_blobs').where('key', '=', key).execute();
}

/** Every key on the list. */
export async function looseKeys(db: Database): Promise<string[]> {
  const rows = await db.selectFrom('loose_blobs').select('key').execute();
  return rows.map(({ key }) => key);
}
