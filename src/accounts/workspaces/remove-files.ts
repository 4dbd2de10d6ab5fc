import type { Database } from '#store/database.ts';
import { inTransaction } from '#store/transaction.ts';
import { fileAt } from '#store/queries/files.ts';
import { markFilesLoose, markLoose } from '#store/blobs/unreferenced-blobs.ts';
import { changeTotal } from '#store/queries/counts.ts';
import { ownedWorkspace, updateWorkspace } from '#store/queries/workspaces.ts';
import { discardBlobs } from './discard-blobs.ts';
import type { WorkspaceParts } from './parts.ts';

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
