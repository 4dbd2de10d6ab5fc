import { type Problem, isProblem, problem } from '#contract/problems.ts';
import { exactly, newBlobKey, WrongLength } from '#store/blobs/blobs.ts';
import type { Database } from '#store/database.ts';
import { inTransaction } from '#store/transaction.ts';
import { type FileRow, type StoredFile, asStored, fileAt, fileById, usedBytes } from '#store/queries/files.ts';
import { markUploaded } from '#store/queries/attachments.ts';
import { markLoose, unmarkLoose } from '#store/blobs/unreferenced-blobs.ts';
import { discardBlobs } from './discard-blobs.ts';
import type { WorkspaceParts } from './parts.ts';
import { full } from './reserve-uploads.ts';

/** What was sent to an upload address. */
export interface Sent {
  /** Content-Type header, or `none`. */
  readonly contentType: string;
  /** Content-Length header, or null when the sender did not say. */
  readonly length: number | null;
  readonly bytes: AsyncIterable<Uint8Array>;
}

const shownLength = 200;

/**
 * Takes the bytes of an open upload. They are written under a loose key first, and one transaction makes them the file of
 * their path: whoever loses a race, breaks off or sends something else than was declared leaves nothing behind.
 */
export async function receiveUpload(parts: WorkspaceParts, id: string, sent: Sent): Promise<StoredFile | Problem> {
  const admitted = await admit(parts.db, id, parts);
  if (isProblem(admitted)) return admitted;
  const differing = checkHeaders(admitted.upload, sent);
  if (differing !== null) return differing;
  const key = newBlobKey('bin');
  await markLoose(parts.db, key, parts.clock.now());
  const refused = await write(parts, key, { size: admitted.upload.size, bytes: sent.bytes });
  if (refused !== null) return refused;
  const taken = await take(parts, { id, workspaceId: admitted.upload.workspace_id }, key);
  await discardBlobs(parts, isProblem(taken) ? [key] : taken.loose);
  return isProblem(taken) ? taken : taken.file;
}

interface Admitted {
  readonly upload: FileRow;
  /** The file that it takes the place of, or null. */
  readonly replaced: StoredFile | null;
}

/** Whether an upload may become a file as things stand: asked before its bytes come, and again when they are there. */
async function admit(db: Database, id: string, { limits }: WorkspaceParts): Promise<Admitted | Problem> {
  const upload = await fileById(db, id);
  if (upload === null) return problem('upload_not_open', {});
  if (asStored(upload) !== null) return problem('upload_done', {});
  const replaced = await fileAt(db, upload.workspace_id, upload.path);
  if (replaced !== null && upload.may_override === 0) return problem('file_exists', { path: upload.path });
  const used = await usedBytes(db, upload.workspace_id);
  if (used - (replaced?.size ?? 0) + upload.size > limits.bytesMax)
    return full({ used, wanted: upload.size, limit: limits.bytesMax });
  return { upload, replaced };
}

function checkHeaders({ content_type, size }: FileRow, { contentType, length }: Sent): Problem | null {
  if (contentType.trim().toLowerCase() !== content_type.trim().toLowerCase()) {
    const found = contentType.slice(0, shownLength);
    return problem('upload_type_differs', { expected: content_type, found }, ['header', 'content-type']);
  }
  return length === null || length === size ? null : lengthDiffers(size, String(length));
}

function lengthDiffers(expected: number, found: string): Problem {
  return problem('upload_length_differs', { expected: String(expected), found }, ['header', 'content-length']);
}

async function write(
  parts: WorkspaceParts,
  key: string,
  { size, bytes }: { size: number; bytes: AsyncIterable<Uint8Array> },
): Promise<Problem | null> {
  try {
    await parts.blobs.write(key, { size, bytes: exactly(bytes, size) });
    return null;
  } catch (error) {
    await discardBlobs(parts, [key]);
    if (error instanceof WrongLength) return lengthDiffers(size, error.found);
    throw error;
  }
}

/** Makes written bytes the file of their path; answers it and the keys of the bytes that it replaced. */
function take(
  parts: WorkspaceParts,
  { id, workspaceId }: { readonly id: string; readonly workspaceId: string },
  key: string,
): Promise<{ readonly file: StoredFile; readonly loose: readonly string[] } | Problem> {
  return inTransaction(
    parts.db,
    async (trx) => {
      const admitted = await admit(trx, id, parts);
      if (isProblem(admitted)) return admitted;
      const { upload, replaced } = admitted;
      const now = parts.clock.now();
      if (replaced !== null) {
        await trx.deleteFrom('files').where('id', '=', replaced.id).execute();
        await markLoose(trx, replaced.blob_key, now);
      }
      const open = trx.updateTable('files').set({ blob_key: key, stored_at: now }).where('id', '=', id);
      // Uploads that have expired are removed by those of any workspace.
      if ((await open.executeTakeFirstOrThrow()).numUpdatedRows === 0n) return problem('upload_not_open', {});
      await markUploaded(trx, id);
      await unmarkLoose(trx, [key]);
      return {
        file: { ...upload, blob_key: key, stored_at: now },
        loose: replaced === null ? [] : [replaced.blob_key],
      };
    },
    { of: [workspaceId] },
  );
}
