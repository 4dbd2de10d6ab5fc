import {
  listUnreferencedKeys,
  markFilesUnreferenced,
  markUnreferenced,
  unmarkUnreferenced,
} from '#store/blobs/unreferenced-blobs.ts';
import type { Database } from '#store/database.ts';
import { changeTotal } from '#store/queries/counts.ts';
import { behindAll, fileAt, fileBehind, type StoredFile } from '#store/queries/files.ts';
import { ownedWorkspace, updateWorkspace } from '#store/queries/workspaces.ts';
import { inTransaction } from '#store/transaction.ts';
import type { WorkspaceDeps } from './deps.ts';

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

/** A page of files; `lastPath` starts the next page, null on the last page. */
export interface FilePage {
  readonly files: readonly StoredFile[];
  /** Whole paths, each with a slash at its end. */
  readonly folders: readonly string[];
  readonly lastPath: string | null;
}

/** A page of files in the order of their paths. Each step seeks its entry, so a folder costs the same whatever it holds. */
export async function listFiles(
  { db }: Pick<WorkspaceDeps, 'db'>,
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

/** Removes a file and its bytes; false for an unknown path. */
export async function removeFile(deps: WorkspaceDeps, workspaceId: string, path: string): Promise<boolean> {
  const key = await inTransaction(
    deps.db,
    async (trx) => {
      const file = await fileAt(trx, workspaceId, path);
      if (file === null) return null;
      await trx.deleteFrom('files').where('id', '=', file.id).execute();
      await markUnreferenced(trx, file.blob_key, deps.clock.now());
      return file.blob_key;
    },
    { of: [workspaceId] },
  );
  if (key === null) return false;
  await discardBlobs(deps, [key]);
  return true;
}

/** Archives a workspace: it is closed to everything, and its files and open uploads are gone. Without effect on an archived one. */
export async function archiveWorkspace(deps: WorkspaceDeps, workspaceId: string): Promise<void> {
  const now = deps.clock.now();
  const keys = await inTransaction(deps.db, (trx) => archiveWithin(trx, workspaceId, now), { of: [workspaceId] });
  await discardBlobs(deps, keys);
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
  const loose = await markFilesUnreferenced(trx, workspaceId, now);
  await trx.deleteFrom('files').where('workspace_id', '=', workspaceId).execute();
  return loose;
}

/** How many blobs are removed at the same time. */
const atOnce = 16;

/** No request and no recording takes nearly as long to be stored. */
const writtenWithinMs = 3_600_000;

type Parts = Pick<WorkspaceDeps, 'db' | 'blobs' | 'log'>;

/**
 * Removes the bytes of loose blobs. What the store does not remove now stays on the list, which the next start works off: the
 * caller's file is gone in any case, since no row names it.
 */
export async function discardBlobs(deps: Parts, keys: readonly string[]): Promise<void> {
  for (let start = 0; start < keys.length; start += atOnce) {
    const removed = await Promise.all(keys.slice(start, start + atOnce).map((key) => discard(deps, key)));
    await unmarkUnreferenced(
      deps.db,
      removed.filter((key) => key !== null),
    );
  }
}

/** Removes what an earlier process left behind; where other processes live, nothing that one of them can be writing now. */
export async function discardLeftBlobs(deps: Parts & Pick<WorkspaceDeps, 'clock' | 'isAlone'>): Promise<void> {
  const until = deps.isAlone ? undefined : deps.clock.now() - writtenWithinMs;
  await discardBlobs(deps, await listUnreferencedKeys(deps.db, until));
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
