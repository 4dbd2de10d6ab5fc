import {
  listUnreferencedKeys,
  markFilesUnreferenced,
  markUnreferenced,
  unmarkUnreferenced,
} from '#store/blobs/unreferenced-blobs.ts';
import { changeTotal } from '#store/queries/counts.ts';
import {
  behindAll,
  deleteFile,
  deleteFilesIn,
  fileAt,
  fileBehind,
  type StoredFile,
  ownedWorkspace,
  updateWorkspace,
} from '#store/queries/files.ts';
import { inTransaction, type Transaction } from '#store/transaction.ts';
import type { WorkspaceDeps } from './deps.ts';

/** Selection of the files of a workspace to list. */
export interface FilesWanted {
  readonly prefix: string;
  /** Whether the list contains only the files directly in the folder `prefix`, and the sub-folders of this folder. */
  readonly shallow: boolean;
  /** Last path of the previous page; null for the first page. */
  readonly behind: string | null;
  /** Maximum number of files and folders on the page. */
  readonly limit: number;
}

/** A page of files. `lastPath` is the value of `behind` for the next page; null on the last page. */
export interface FilePage {
  readonly files: readonly StoredFile[];
  /** Complete paths of sub-folders, each with a trailing slash. */
  readonly folders: readonly string[];
  readonly lastPath: string | null;
}

/**
 * Returns a page of files ordered by path. Each entry is found by an index seek, so that a sub-folder costs the same
 * however many files it contains.
 */
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
    const folder = shallow ? subFolder(file.path, prefix) : null;
    if (folder === null) files.push(file);
    else folders.push(folder);
    last = folder ?? file.path;
  }
}

/** Returns the sub-folder of a prefix that contains a path; null for a path directly below the prefix. */
function subFolder(path: string, prefix: string): string | null {
  const slash = path.indexOf('/', prefix.length);
  return slash === -1 ? null : path.slice(0, slash + 1);
}

/** Removes a file and its bytes; returns false for an unknown path. */
export async function removeFile(deps: WorkspaceDeps, workspaceId: string, path: string): Promise<boolean> {
  const key = await inTransaction(
    deps.db,
    async (trx) => {
      const file = await fileAt(trx, workspaceId, path);
      if (file === null) return null;
      await deleteFile(trx, file.id);
      await markUnreferenced(trx, file.blobKey, deps.clock.now());
      return file.blobKey;
    },
    { of: [workspaceId] },
  );
  if (key === null) return false;
  await discardBlobs(deps, [key]);
  return true;
}

/**
 * Archives a workspace: rejects further use, and removes its files and open uploads. Has no effect on an archived
 * workspace.
 */
export async function archiveWorkspace(deps: WorkspaceDeps, workspaceId: string): Promise<void> {
  const now = deps.clock.now();
  const keys = await inTransaction(deps.db, (trx) => archiveWithin(trx, workspaceId, now), { of: [workspaceId] });
  await discardBlobs(deps, keys);
}

/**
 * Archives the workspace of a session or browser, if any, within the transaction that ends its owner. Returns the blob
 * keys to discard.
 */
export async function retireOwned(trx: Transaction, ownerId: string, now: number): Promise<readonly string[]> {
  const owned = await ownedWorkspace(trx, ownerId);
  return owned === null ? [] : archiveWithin(trx, owned.id, now);
}

/** Archives a workspace within a transaction; returns the blob keys to discard. */
export async function archiveWithin(trx: Transaction, workspaceId: string, now: number): Promise<string[]> {
  const archived = await updateWorkspace(trx, workspaceId, { archivedAt: now, updatedAt: now });
  if (archived === null) return [];
  if (archived.ownerId === null) await changeTotal(trx, { projectId: archived.projectId, what: 'workspaces', by: -1 });
  const unreferenced = await markFilesUnreferenced(trx, workspaceId, now);
  await deleteFilesIn(trx, workspaceId);
  return unreferenced;
}

/** Maximum number of concurrent blob deletions. */
const atOnce = 16;

/**
 * Age in milliseconds at which an unfinished blob counts as abandoned; storing a request or recording takes much less.
 */
const writtenWithinMs = 3_600_000;

type Parts = Pick<WorkspaceDeps, 'db' | 'blobs' | 'log'>;

/**
 * Deletes unreferenced blobs. A blob whose deletion fails stays listed as unreferenced, and the next start of the
 * service deletes it. The caller sees no failure, because no file refers to these blobs.
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

/**
 * Deletes blobs that an earlier process left unreferenced. While other processes are running, keeps the blobs that
 * these processes may still be writing.
 */
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
