import { looseKeys, markFilesLoose, markLoose, unmarkLoose } from '#store/blobs/unreferenced-blobs.ts';
import type { Database } from '#store/database.ts';
import { changeTotal } from '#store/queries/counts.ts';
import { behindAll, fileAt, fileBehind, type StoredFile } from '#store/queries/files.ts';
import { ownedWorkspace, updateWorkspace } from '#store/queries/workspaces.ts';
import { inTransaction } from '#store/transaction.ts';
import type { WorkspaceParts } from './parts.ts';

/** Which part of a workspace is wanted. */
export interface FilesWanted {
  readonly prefix: string;
  /** Whether files in sub-folders are left out and the sub-folders are named instead. */
  readonly shallow: boolean;
  /** The last path of the page before, or null for the first page. */
  readonly behind: string | null;
  /** Files and folders together. */
  readonly limit: number;
}

/** One page; `lastPath` is the path that the next one stands behind, or null when there is none. */
export interface FilePage {
  readonly files: readonly StoredFile[];
  /** Whole paths, each with a slash at its end. */
  readonly folders: readonly string[];
  readonly lastPath: string | null;
}

/** A page of files in the order of their paths. Each step seeks its entry, so a folder costs the same whatever it holds. */
export async function listFiles(
  { db }: Pick<WorkspaceParts, 'db'>,
  workspaceId: string,
  { prefix, shallow, behind, limit }: FilesWanted,
): Promise<FilePage> {
  const files: StoredFile[] = [];
  const folders: string[] = [];
  let last = behind ?? '';
  for (;;) {
    const file = await fileBehind(db, workspaceId, {
      prefix,
      behind: last.endsWith('/') ? `${last}${behindAll}` : last,
    });
    if (file === null) return { files, folders, lastPath: null };
    if (files.length + folders.length === limit) return { files, folders, lastPath: last };
    const folder = shallow ? folderOf(file.path, prefix) : null;
    if (folder === null) files.push(file);
    else folders.push(folder);
    last = folder ?? file.path;
  }
}

/** The sub-folder of a prefix that a path stands in, or null when it stands in none. */
function folderOf(path: string, prefix: string): string | null {
  const slash = path.indexOf('/', prefix.length);
  return slash === -1 ? null : path.slice(0, slash + 1);
}

/** Removes the file of a path with its bytes; false when there is none. */
export async function removeFile(parts: WorkspaceParts, workspaceId: string, path: string): Promise<boolean> {
  const key = await inTransaction(
    parts.db,
    async (trx) => {
      const file = await fileAt(trx, workspaceId, path);
      if (file === null) return null;
      await trx.deleteFrom('files').where('id', '=', file.id).execute();
      await markLoose(trx, file.blob_key, parts.clock.now());
      return file.blob_key;
    },
    { of: [workspaceId] },
  );
  if (key === null) return false;
  await discardBlobs(parts, [key]);
  return true;
}

/** Archives a workspace: it is closed to everything, and its files and open uploads are gone. Without effect on an archived one. */
export async function archiveWorkspace(parts: WorkspaceParts, workspaceId: string): Promise<void> {
  const now = parts.clock.now();
  const keys = await inTransaction(parts.db, (trx) => archiveWithin(trx, workspaceId, now), { of: [workspaceId] });
  await discardBlobs(parts, keys);
}

/** Archives the workspace of a session or browser, if it has one, within the transaction that ends its owner; answers the keys to discard. */
export async function retireOwned(trx: Database, ownerId: string, now: number): Promise<readonly string[]> {
  const owned = await ownedWorkspace(trx, ownerId);
  return owned === null ? [] : archiveWithin(trx, owned.id, now);
}

/** Archives a workspace within a transaction; answers the keys to discard. */
export async function archiveWithin(trx: Database, workspaceId: string, now: number): Promise<string[]> {
  const archived = await updateWorkspace(trx, workspaceId, { archived_at: now, updated_at: now });
  if (archived === null) return [];
  if (archived.owner_id === null)
    await changeTotal(trx, { projectId: archived.project_id, what: 'workspaces', by: -1 });
  const loose = await markFilesLoose(trx, workspaceId, now);
  await trx.deleteFrom('files').where('workspace_id', '=', workspaceId).execute();
  return loose;
}

/** How many blobs are removed at the same time. */
const atOnce = 16;

/** No request and no recording takes nearly as long to be stored. */
const writtenWithinMs = 3_600_000;

type Parts = Pick<WorkspaceParts, 'db' | 'blobs' | 'log'>;

/**
 * Removes the bytes of loose blobs. What the store does not remove now stays on the list, which the next start works off: the
 * caller's file is gone in any case, since no row names it.
 */
export async function discardBlobs(parts: Parts, keys: readonly string[]): Promise<void> {
  for (let start = 0; start < keys.length; start += atOnce) {
    const removed = await Promise.all(keys.slice(start, start + atOnce).map((key) => discard(parts, key)));
    await unmarkLoose(
      parts.db,
      removed.filter((key) => key !== null),
    );
  }
}

/** Removes what an earlier process left behind; where other processes live, nothing that one of them can be writing now. */
export async function discardLeftBlobs(parts: Parts & Pick<WorkspaceParts, 'clock' | 'isAlone'>): Promise<void> {
  const until = parts.isAlone ? undefined : parts.clock.now() - writtenWithinMs;
  await discardBlobs(parts, await looseKeys(parts.db, until));
}

async function discard({ blobs, log }: Parts, key: string): Promise<string | null> {
  try {
    await blobs.remove(key);
    return key;
  } catch (error) {
    log.warn({ err: error, blob: key }, 'a blob could not be removed; the next start tries again');
    return null;
  }
}
