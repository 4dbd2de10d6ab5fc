import type { Database } from '../database.ts';
import { prepareInsert, prepareQuery } from '../prepare.ts';

/**
 * Keys of blobs that no row owns: an upload that has not been taken in yet, or a file that was removed. A key stands here
 * before its bytes are written and leaves in the transaction that gives them to a row, so that a crash leaves no bytes that
 * nobody knows of.
 */
export function markLoose(db: Database, key: string, now: number): Promise<void> {
  return addLoose(db, { key, created_at: now });
}

const addLoose = prepareInsert('loose_blobs');

/** Puts keys on the list, of which some may stand there already. */
export async function markAllLoose(db: Database, keys: readonly string[], now: number): Promise<void> {
  for (const key of keys)
    await db
      .insertInto('loose_blobs')
      .values({ key, created_at: now })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

/** Puts the keys of all files of a workspace on the list; answers them. */
export async function markFilesLoose(db: Database, workspaceId: string, now: number): Promise<string[]> {
  const marked = await db
    .insertInto('loose_blobs')
    .columns(['key', 'created_at'])
    .expression((eb) =>
      eb
        .selectFrom('files')
        .select((file) => [file.ref('blob_key').$notNull().as('key'), file.val(now).as('created_at')])
        .where('workspace_id', '=', workspaceId)
        .where('blob_key', 'is not', null),
    )
    .returning('key')
    .execute();
  return marked.map(({ key }) => key);
}

/** Takes keys off the list, not too many at once: a row owns their bytes now, or they are gone. */
export async function unmarkLoose(db: Database, keys: readonly string[]): Promise<void> {
  const [key] = keys;
  if (key !== undefined && keys.length === 1) await unmarkOne(db, { key });
  else if (keys.length > 0)
    await db
      .deleteFrom('loose_blobs')
      .where('key', 'in', [...keys])
      .execute();
}

const unmarkOne = prepareQuery<{ readonly key: string }, unknown>(['key'], (db, { key }) =>
  db.deleteFrom('loose_blobs').where('key', '=', key),
);

/** Every key on the list that was put there by then. */
export async function looseKeys(db: Database, until = Number.MAX_SAFE_INTEGER): Promise<string[]> {
  const rows = await db.selectFrom('loose_blobs').select('key').where('created_at', '<=', until).execute();
  return rows.map(({ key }) => key);
}

/** A column that holds keys of blobs. */
export interface BlobColumn {
  readonly table: string;
  readonly column: string;
}

/**
 * Every column through which a row owns bytes: what none of them names is nobody's. Those of `loose_blobs` own nothing: they are to
 * be removed.
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
