import { type Problem, isProblem, problem } from '#contract/problems.ts';
import { exactLength, newBlobKey } from '#store/blobs/blobs.ts';
import { inTransaction } from '#store/transaction.ts';
import { isPurged } from '#store/queries/erase-session.ts';
import { deleteFile, type StoredFile, fileAt, insertFile, usedBytes, isLiving } from '#store/queries/files.ts';
import { markUnreferenced, unmarkUnreferenced } from '#store/blobs/unreferenced-blobs.ts';
import { discardBlobs } from './files.ts';
import { numberedName } from './file-names.ts';
import type { WorkspaceDeps } from './deps.ts';
import { full } from './uploads.ts';
import type { Executor } from '#store/executor.ts';

/** A file that the service itself stores; all values are validated. */
export interface NewFile {
  /** Path in the form that `storedPath` returns. */
  readonly path: string;
  readonly contentType: string;
  /** Exact number of bytes, at least 0. */
  readonly size: number;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Id of the run that created the file. */
  readonly runId: string;
  /** Treatment of an existing file at the path: replace it, or add a number to the new file's name. */
  readonly ifTaken: 'replace' | 'number';
}

/**
 * Stores a file; the bytes are durable before the row exists. Returns a problem for an archived or unknown workspace,
 * for a purged run, and for bytes that exceed the limit of the workspace. Rejects for a number of bytes other than
 * `size`.
 */
export async function storeFile(
  deps: WorkspaceDeps,
  workspaceId: string,
  file: NewFile,
): Promise<StoredFile | Problem> {
  // Checked before the first byte is written, and again after the last byte.
  const refused = await judge(deps, deps.db, { workspaceId, file, replaced: null });
  if (refused !== null) return refused;
  const key = newBlobKey('bin');
  await markUnreferenced(deps.db, key, deps.clock.now());
  try {
    await deps.blobs.write(key, { size: file.size, bytes: exactLength(file.bytes, file.size) });
  } catch (error) {
    await discardBlobs(deps, [key]);
    throw error;
  }
  const taken = await take(deps, { workspaceId, file, key });
  await discardBlobs(deps, isProblem(taken) ? [key] : taken.unreferenced);
  return isProblem(taken) ? taken : taken.stored;
}

interface Place {
  readonly workspaceId: string;
  readonly file: NewFile;
  readonly replaced: StoredFile | null;
}

async function judge(
  { limits }: WorkspaceDeps,
  db: Executor,
  { workspaceId, file, replaced }: Place,
): Promise<Problem | null> {
  // A purge may have happened while the bytes were written: a purged run gets no new files.
  const isGone = !(await isLiving(db, workspaceId)) || (await isPurged(db, file.runId));
  if (isGone) return problem('workspace_not_found', {});
  const taken = replaced ?? (file.ifTaken === 'replace' ? await fileAt(db, workspaceId, file.path) : null);
  const used = await usedBytes(db, workspaceId);
  const fits = used - (taken?.size ?? 0) + file.size <= limits.bytesMax;
  return fits ? null : full({ used, wanted: file.size, limit: limits.bytesMax });
}

function take(
  deps: WorkspaceDeps,
  { workspaceId, file, key }: { workspaceId: string; file: NewFile; key: string },
): Promise<{ readonly stored: StoredFile; readonly unreferenced: readonly string[] } | Problem> {
  return inTransaction(
    deps.db,
    async (trx) => {
      const replaced = file.ifTaken === 'replace' ? await fileAt(trx, workspaceId, file.path) : null;
      const refused = await judge(deps, trx, { workspaceId, file, replaced });
      if (refused !== null) return refused;
      const now = deps.clock.now();
      if (replaced !== null) {
        await deleteFile(trx, replaced.id);
        await markUnreferenced(trx, replaced.blobKey, now);
      }
      const row = {
        id: deps.newId(),
        workspaceId,
        path: file.ifTaken === 'replace' ? file.path : await freePath(trx, workspaceId, file.path),
        contentType: file.contentType,
        size: file.size,
        mayOverride: 1,
        openUntil: now,
        blobKey: key,
        storedAt: now,
        runId: file.runId,
      } as const;
      await insertFile(trx, row);
      await unmarkUnreferenced(trx, [key]);
      return { stored: row, unreferenced: replaced === null ? [] : [replaced.blobKey] };
    },
    { of: [workspaceId] },
  );
}

/** Returns the path itself, or the first free path of `name (1).ext`, `name (2).ext` and so on. */
async function freePath(db: Executor, workspaceId: string, path: string): Promise<string> {
  const cut = path.lastIndexOf('/') + 1;
  const [folder, name] = [path.slice(0, cut), path.slice(cut)];
  let free = path;
  for (let number = 1; (await fileAt(db, workspaceId, free)) !== null; number += 1)
    free = `${folder}${numberedName(name, number)}`;
  return free;
}
