import { isProblem, type Problem, problem } from '#contract/problems.ts';
import { exactLength, newBlobKey, WrongLength } from '#store/blobs/blobs.ts';
import { markUnreferenced, unmarkUnreferenced } from '#store/blobs/unreferenced-blobs.ts';
import { markUploaded } from '#store/queries/attachments.ts';
import {
  asStored,
  deleteFile,
  fileAt,
  fileById,
  type FileRow,
  insertFile,
  markStored,
  removeExpiredUploads,
  type StoredFile,
  usedBytes,
  isLiving,
} from '#store/queries/files.ts';
import { flag } from '#store/tables/values.ts';
import { inTransaction } from '#store/transaction.ts';
import { discardBlobs } from './files.ts';
import type { WorkspaceDeps } from './deps.ts';
import type { Executor } from '#store/executor.ts';

/** A requested upload; all values are validated. */
export interface WantedUpload {
  /** Path in the form that `storedPath` returns. */
  readonly path: string;
  readonly contentType: string;
  /** Exact number of bytes, at least 1. */
  readonly size: number;
}

/** The files of one request. */
export interface WantedUploads {
  readonly files: readonly WantedUpload[];
  readonly allowOverrides: boolean;
}

/** A reserved upload, which is ready to receive its bytes. */
export interface ReservedUpload {
  readonly id: string;
  readonly path: string;
  /** Whether the path is already taken by a stored file or by an earlier file of the request. */
  readonly willOverride: boolean;
}

/**
 * Reserves all uploads of a request, in the order of its files. If one of them is refused, returns a problem and
 * reserves none.
 */
export function reserveUploads(
  deps: WorkspaceDeps,
  workspaceId: string,
  wanted: WantedUploads,
): Promise<readonly ReservedUpload[] | Problem> {
  return inTransaction(
    deps.db,
    async (trx) => {
      if (!(await isLiving(trx, workspaceId))) return problem('workspace_not_found', {});
      const judged = await judge({ ...deps, db: trx }, workspaceId, wanted);
      if (isProblem(judged)) return judged;
      const now = deps.clock.now();
      await removeExpiredUploads(trx, now);
      const reserved = judged.map((upload) => ({ ...upload, id: deps.newId() }));
      for (const { id, path, contentType, size } of reserved) {
        const row = {
          id,
          workspaceId,
          path,
          contentType,
          size,
          mayOverride: flag(wanted.allowOverrides),
          // An upload that begins at the end of the lifetime of its URL may take the same time once more.
          openUntil: now + 2 * deps.limits.uploadLifetimeMs,
        };
        await insertFile(trx, row);
      }
      return reserved.map(({ id, path, willOverride }) => ({ id, path, willOverride }));
    },
    { of: [workspaceId] },
  );
}

type Judged = WantedUpload & { readonly willOverride: boolean };

/**
 * Returns the requested files, each with `willOverride`; or the refusal, if a path is taken and overrides are not
 * allowed, or if the workspace would exceed its limit. The size of a replaced file is subtracted.
 */
async function judge(
  { db, limits }: Pick<WorkspaceDeps, 'limits'> & { readonly db: Executor },
  workspaceId: string,
  { files, allowOverrides }: WantedUploads,
): Promise<Judged[] | Problem> {
  const sizes = new Map<string, number>();
  const judged: Judged[] = [];
  const used = await usedBytes(db, workspaceId);
  let freed = 0;
  for (const file of files) {
    const stored = await fileAt(db, workspaceId, file.path);
    const willOverride = stored !== null || sizes.has(file.path);
    if (willOverride && !allowOverrides) return problem('file_exists', { path: file.path });
    if (!sizes.has(file.path)) freed += stored?.size ?? 0;
    sizes.set(file.path, file.size);
    judged.push({ ...file, willOverride });
  }
  const wanted = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  return used - freed + wanted > limits.bytesMax ? full({ used, wanted, limit: limits.bytesMax }) : judged;
}

/** Returns the refusal of a file that would exceed the limit of a workspace. All three numbers are in bytes. */
export function full({ used, wanted, limit }: { used: number; wanted: number; limit: number }): Problem {
  return problem('workspace_full', { used: String(used), wanted: String(wanted), limit: String(limit) });
}

/** A request to an upload URL. */
export interface Sent {
  /** Content-Type header of the request, or `none`. */
  readonly contentType: string;
  /** Content-Length header of the request in bytes; null without one. */
  readonly length: number | null;
  readonly bytes: AsyncIterable<Uint8Array>;
}

const shownLength = 200;

/**
 * Receives the bytes of an open upload. The bytes are written under an unreferenced key, and one transaction assigns
 * this key to the path. Returns a problem if the upload is refused. A refused or interrupted upload changes no file.
 */
export async function receiveUpload(deps: WorkspaceDeps, id: string, sent: Sent): Promise<StoredFile | Problem> {
  const admitted = await admit(deps.db, id, deps);
  if (isProblem(admitted)) return admitted;
  const differing = checkHeaders(admitted.upload, sent);
  if (differing !== null) return differing;
  const key = newBlobKey('bin');
  await markUnreferenced(deps.db, key, deps.clock.now());
  const refused = await write(deps, key, { size: admitted.upload.size, bytes: sent.bytes });
  if (refused !== null) return refused;
  const taken = await take(deps, { id, workspaceId: admitted.upload.workspaceId }, key);
  await discardBlobs(deps, isProblem(taken) ? [key] : taken.unreferenced);
  return isProblem(taken) ? taken : taken.file;
}

interface Admitted {
  readonly upload: FileRow;
  /** The stored file that the upload replaces, or null. */
  readonly replaced: StoredFile | null;
}

/**
 * Returns the upload with the file that it would replace, if the workspace allows the upload now; otherwise the
 * refusal. Called before the bytes of the upload arrive, and again afterwards.
 */
async function admit(db: Executor, id: string, { limits }: WorkspaceDeps): Promise<Admitted | Problem> {
  const upload = await fileById(db, id);
  if (upload === null) return problem('upload_not_open', {});
  if (asStored(upload) !== null) return problem('upload_done', {});
  const replaced = await fileAt(db, upload.workspaceId, upload.path);
  if (replaced !== null && upload.mayOverride === 0) return problem('file_exists', { path: upload.path });
  const used = await usedBytes(db, upload.workspaceId);
  if (used - (replaced?.size ?? 0) + upload.size > limits.bytesMax)
    return full({ used, wanted: upload.size, limit: limits.bytesMax });
  return { upload, replaced };
}

function checkHeaders({ contentType: expected, size }: FileRow, { contentType, length }: Sent): Problem | null {
  if (contentType.trim().toLowerCase() !== expected.trim().toLowerCase()) {
    const found = contentType.slice(0, shownLength);
    return problem('upload_type_differs', { expected, found }, ['header', 'content-type']);
  }
  return length === null || length === size ? null : lengthDiffers(size, String(length));
}

function lengthDiffers(expected: number, found: string): Problem {
  return problem('upload_length_differs', { expected: String(expected), found }, ['header', 'content-length']);
}

async function write(
  deps: WorkspaceDeps,
  key: string,
  { size, bytes }: { size: number; bytes: AsyncIterable<Uint8Array> },
): Promise<Problem | null> {
  try {
    await deps.blobs.write(key, { size, bytes: exactLength(bytes, size) });
    return null;
  } catch (error) {
    await discardBlobs(deps, [key]);
    if (error instanceof WrongLength) return lengthDiffers(size, error.found);
    throw error;
  }
}

/**
 * Stores received bytes as the file at the path of the upload. Returns the file and the blob key of a replaced file, or
 * the refusal of the upload.
 */
function take(
  deps: WorkspaceDeps,
  { id, workspaceId }: { readonly id: string; readonly workspaceId: string },
  key: string,
): Promise<{ readonly file: StoredFile; readonly unreferenced: readonly string[] } | Problem> {
  return inTransaction(
    deps.db,
    async (trx) => {
      const admitted = await admit(trx, id, deps);
      if (isProblem(admitted)) return admitted;
      const { upload, replaced } = admitted;
      const now = deps.clock.now();
      if (replaced !== null) {
        await deleteFile(trx, replaced.id);
        await markUnreferenced(trx, replaced.blobKey, now);
      }
      // A reservation in any workspace removes expired uploads, so this upload may no longer exist.
      if (!(await markStored(trx, id, { blobKey: key, now }))) return problem('upload_not_open', {});
      await markUploaded(trx, id);
      await unmarkUnreferenced(trx, [key]);
      return {
        file: { ...upload, blobKey: key, storedAt: now },
        unreferenced: replaced === null ? [] : [replaced.blobKey],
      };
    },
    { of: [workspaceId] },
  );
}
