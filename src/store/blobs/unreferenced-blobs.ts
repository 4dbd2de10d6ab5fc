import { prepared, preparedInsert } from '../prepare.ts';
import type { Executor } from '../executor.ts';

/**
 * Records the key of a blob that no row owns, such as an unfinished upload or a removed file. A key is recorded before
 * its bytes are written, and the transaction that assigns the bytes to a row deletes the record. So after a crash,
 * every stored blob has a record or a row.
 */
export function markUnreferenced(db: Executor, key: string, now: number): Promise<void> {
  return addUnreferenced(db, { key, createdAt: now });
}

const addUnreferenced = preparedInsert('loose_blobs');

/** Records the keys of several unreferenced blobs; skips keys that have a record. */
export async function markAllUnreferenced(db: Executor, keys: readonly string[], now: number): Promise<void> {
  for (const key of keys)
    await db
      .insertInto('loose_blobs')
      .values({ key, createdAt: now })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

/** Records the blob keys of all files of a workspace as unreferenced, and returns these keys. */
export async function markFilesUnreferenced(db: Executor, workspaceId: string, now: number): Promise<string[]> {
  const marked = await db
    .insertInto('loose_blobs')
    .columns(['key', 'createdAt'])
    .expression((eb) =>
      eb
        .selectFrom('files')
        .select((file) => [file.ref('blobKey').$notNull().as('key'), file.val(now).as('createdAt')])
        .where('workspaceId', '=', workspaceId)
        .where('blobKey', 'is not', null),
    )
    .returning('key')
    .execute();
  return marked.map(({ key }) => key);
}

/** Deletes the records of unreferenced keys, because a row owns the blobs now or their bytes were removed. */
export async function unmarkUnreferenced(db: Executor, keys: readonly string[]): Promise<void> {
  const [key] = keys;
  if (key !== undefined && keys.length === 1) await unmarkOne.run(db, { key });
  else if (keys.length > 0)
    await db
      .deleteFrom('loose_blobs')
      .where('key', 'in', [...keys])
      .execute();
}

const unmarkOne = prepared<{ readonly key: string }, unknown>(['key'], (db, { key }) =>
  db.deleteFrom('loose_blobs').where('key', '=', key),
);

/** Returns the unreferenced keys that were recorded at the time `until` or before; without `until`, all of them. */
export async function listUnreferencedKeys(db: Executor, until = Number.MAX_SAFE_INTEGER): Promise<string[]> {
  const rows = await db.selectFrom('loose_blobs').select('key').where('createdAt', '<=', until).execute();
  return rows.map(({ key }) => key);
}

/** A column with blob keys, by its name in SQL. */
export interface BlobColumn {
  readonly table: string;
  readonly column: string;
}

/**
 * All columns that contain blob keys. The row with a key owns the blob; a blob whose key is in none of these columns is
 * unreferenced.
 */
export const blobColumns: readonly BlobColumn[] = [
  { table: 'sessions', column: 'screenshot_key' },
  { table: 'steps', column: 'screenshot_key' },
  { table: 'pictures', column: 'key' },
  { table: 'files', column: 'blob_key' },
  { table: 'downloads', column: 'blob_key' },
  { table: 'recordings', column: 'blob_key' },
  { table: 'profiles', column: 'state_key' },
];
