import type { Insertable, Selectable } from 'kysely';
import type { FileTable, WorkspaceTable } from '../tables/files.ts';
import type { Transaction } from '../transaction.ts';
import type { Executor } from '../executor.ts';
import { getTotal } from './counts.ts';

/** A workspace as the database holds it. */
export type WorkspaceRow = Selectable<WorkspaceTable>;

/** A page of a project's workspaces; `pageNumber` counts from 1. */
export interface WorkspacePage {
  readonly pageNumber: number;
  readonly pageSize: number;
}

/**
 * Returns a workspace of the project, archived or not, else null. Workspaces of sessions and browsers are not found.
 */
export async function findWorkspace(db: Executor, projectId: string, id: string): Promise<WorkspaceRow | null> {
  const query = db
    .selectFrom('workspaces')
    .selectAll()
    .where('id', '=', id.toLowerCase())
    .where('projectId', '=', projectId)
    .where('ownerId', 'is', null);
  return (await query.executeTakeFirst()) ?? null;
}

/**
 * Returns whether a workspace exists and is not archived, so that it accepts files. Call it inside the transaction that
 * adds a file.
 */
export async function isLiving(db: Executor, id: string): Promise<boolean> {
  const query = db.selectFrom('workspaces').select('id').where('id', '=', id).where('archivedAt', 'is', null);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Returns one page of a project's living workspaces, newest first, and their total on all pages. */
export async function listWorkspaces(
  db: Executor,
  projectId: string,
  { pageNumber, pageSize }: WorkspacePage,
): Promise<{ rows: WorkspaceRow[]; total: number }> {
  const living = db
    .selectFrom('workspaces')
    .where('projectId', '=', projectId)
    .where('archivedAt', 'is', null)
    .where('ownerId', 'is', null);
  const rows = await living
    .selectAll()
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(pageSize)
    .offset((pageNumber - 1) * pageSize)
    .execute();
  return { rows, total: await getTotal(db, projectId, 'workspaces') };
}

/** Changes a living workspace and returns it; null for an archived or unknown workspace. */
export async function updateWorkspace(
  db: Executor,
  id: string,
  change: Partial<Pick<WorkspaceRow, 'name' | 'archivedAt'>> & { readonly updatedAt: number },
): Promise<WorkspaceRow | null> {
  const changed = await db
    .updateTable('workspaces')
    .set(change)
    .where('id', '=', id)
    .where('archivedAt', 'is', null)
    .returningAll()
    .executeTakeFirst();
  return changed ?? null;
}

/** Returns the living workspace of a session or browser, or null. */
export async function ownedWorkspace(db: Executor, ownerId: string): Promise<WorkspaceRow | null> {
  const query = db.selectFrom('workspaces').selectAll().where('ownerId', '=', ownerId).where('archivedAt', 'is', null);
  return (await query.executeTakeFirst()) ?? null;
}

/** Returns the id of the session or browser that owns a workspace, or null. */
export async function findWorkspaceOwner(db: Executor, workspaceId: string): Promise<string | null> {
  const query = db.selectFrom('workspaces').select('ownerId').where('id', '=', workspaceId);
  return (await query.executeTakeFirst())?.ownerId ?? null;
}

/** A file or an open upload as the database holds it. */
export type FileRow = Selectable<FileTable>;

/** A file whose bytes are completely stored. */
export type StoredFile = FileRow & { readonly blobKey: string; readonly storedAt: number };

/**
 * A text that sorts after all characters of paths: a prefix followed by this text sorts after every path with the
 * prefix.
 */
export const behindAll = '\u{10ffff}';

/** Returns the file or upload with the given id, of any project, or null. */
export async function fileById(db: Executor, id: string): Promise<FileRow | null> {
  return (await db.selectFrom('files').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/** Returns the stored file of a path, or null. */
export async function fileAt(db: Executor, workspaceId: string, path: string): Promise<StoredFile | null> {
  const row = await db
    .selectFrom('files')
    .selectAll()
    .where('workspaceId', '=', workspaceId)
    .where('path', '=', path)
    .where('storedAt', 'is not', null)
    .executeTakeFirst();
  return row === undefined ? null : asStored(row);
}

/**
 * Returns the stored file with the first path, in sort order, that begins with `prefix` and sorts after `behind`; null
 * without such a file.
 */
export async function fileBehind(
  db: Executor,
  workspaceId: string,
  { prefix, behind }: { readonly prefix: string; readonly behind: string },
): Promise<StoredFile | null> {
  // Only the higher of the two lower bounds, because SQLite enters the index at the first bound of a statement.
  const isPast = Buffer.compare(Buffer.from(behind), Buffer.from(prefix)) >= 0;
  const row = await db
    .selectFrom('files')
    .selectAll()
    .where('workspaceId', '=', workspaceId)
    .where('storedAt', 'is not', null)
    .where('path', isPast ? '>' : '>=', isPast ? behind : prefix)
    .where('path', '<', `${prefix}${behindAll}`)
    .orderBy('path')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : asStored(row);
}

/** Returns the row as a stored file; null for an open upload. */
export function asStored(row: FileRow): StoredFile | null {
  const { blobKey, storedAt } = row;
  return blobKey === null || storedAt === null ? null : { ...row, blobKey, storedAt };
}

/** Returns the total bytes of the stored files of a workspace. */
export async function usedBytes(db: Executor, workspaceId: string): Promise<number> {
  const { used } = await db
    .selectFrom('files')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('size'), eb.lit(0)).as('used'))
    .where('workspaceId', '=', workspaceId)
    .where('storedAt', 'is not', null)
    .executeTakeFirstOrThrow();
  return used;
}

/** Deletes expired uploads whose bytes never arrived. */
export async function removeExpiredUploads(db: Executor, now: number): Promise<void> {
  await db.deleteFrom('files').where('storedAt', 'is', null).where('openUntil', '<', now).execute();
}

/** Returns the stored files that a run made, sorted by path. */
export async function filesOfRun(db: Executor, runId: string): Promise<StoredFile[]> {
  const rows = await db
    .selectFrom('files')
    .selectAll()
    .where('runId', '=', runId)
    .where('storedAt', 'is not', null)
    .orderBy('path')
    .execute();
  return rows.flatMap((row) => asStored(row) ?? []);
}

/** Inserts a file or an open upload. */
export async function insertFile(trx: Transaction, file: Insertable<FileTable>): Promise<void> {
  await trx.insertInto('files').values(file).execute();
}

/** Makes an upload a stored file; false when the upload was removed, for example after its expiry. */
export async function markStored(
  trx: Transaction,
  id: string,
  { blobKey, now }: { readonly blobKey: string; readonly now: number },
): Promise<boolean> {
  const open = trx.updateTable('files').set({ blobKey, storedAt: now }).where('id', '=', id);
  return (await open.executeTakeFirstOrThrow()).numUpdatedRows > 0n;
}

/** Deletes a file or upload. */
export async function deleteFile(trx: Transaction, id: string): Promise<void> {
  await trx.deleteFrom('files').where('id', '=', id).execute();
}

/** Deletes all files and uploads of a workspace. */
export async function deleteFilesIn(trx: Transaction, workspaceId: string): Promise<void> {
  await trx.deleteFrom('files').where('workspaceId', '=', workspaceId).execute();
}
