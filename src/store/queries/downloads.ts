import type { Insertable, Selectable } from 'kysely';
import { browserStatus } from '#generated/states.ts';
import type { Transaction } from '../transaction.ts';
import type { DownloadTable } from '../tables/browsers.ts';
import type { Executor } from '../executor.ts';

/** A download as the database holds it. */
export type DownloadRow = Selectable<DownloadTable>;

/** Position and length of a page of a browser's downloads. */
export interface DownloadsWanted {
  /** The last path of the previous page; null for the first page. */
  readonly behind: string | null;
  readonly limit: number;
}

/** Returns one page of a browser's downloads, sorted by path, and whether more follow. */
export async function listDownloads(
  db: Executor,
  browserId: string,
  { behind, limit }: DownloadsWanted,
): Promise<{ readonly rows: readonly DownloadRow[]; readonly hasMore: boolean }> {
  const rows = await db
    .selectFrom('downloads')
    .selectAll()
    .where('browserId', '=', browserId)
    .where('path', '>', behind ?? '')
    .orderBy('path')
    .limit(limit + 1)
    .execute();
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
}

/** Returns the download with the given id, of any project, or null. */
export async function downloadById(db: Executor, id: string): Promise<DownloadRow | null> {
  return (await db.selectFrom('downloads').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/** Returns up to `limit` downloads of browsers that were stopped before a time. */
export async function oldDownloads(
  db: Executor,
  { stoppedBefore, limit }: { readonly stoppedBefore: number; readonly limit: number },
): Promise<readonly DownloadRow[]> {
  return db
    .selectFrom('downloads')
    .innerJoin('browsers', 'browsers.id', 'downloads.browserId')
    .selectAll('downloads')
    .where('browsers.status', '=', browserStatus.stopped)
    .where('browsers.finishedAt', '<', stoppedBefore)
    .limit(limit)
    .execute();
}

/** Returns the number of a browser's downloads and their total bytes. */
export async function getDownloadUsage(
  db: Executor,
  browserId: string,
): Promise<{ readonly files: number; readonly bytes: number }> {
  const { files, bytes } = await db
    .selectFrom('downloads')
    .select((eb) => [
      eb.fn.countAll<number>().as('files'),
      eb.fn.coalesce(eb.fn.sum<number>('size'), eb.lit(0)).as('bytes'),
    ])
    .where('browserId', '=', browserId)
    .executeTakeFirstOrThrow();
  return { files, bytes };
}

/** Returns whether a browser has a download of that path. */
export async function hasDownload(db: Executor, browserId: string, path: string): Promise<boolean> {
  const query = db.selectFrom('downloads').select('id').where('browserId', '=', browserId).where('path', '=', path);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Writes a download. */
export async function insertDownload(db: Executor, row: Insertable<DownloadTable>): Promise<void> {
  await db.insertInto('downloads').values(row).execute();
}

/** Deletes downloads. */
export async function deleteDownloads(trx: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length > 0)
    await trx
      .deleteFrom('downloads')
      .where('id', 'in', [...ids])
      .execute();
}
