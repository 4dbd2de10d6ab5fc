import { type Problem, isProblem, problem } from '#contract/problems.ts';
import { fileAt, removeExpiredUploads, usedBytes } from '#store/queries/files.ts';
import type { Database } from '#store/database.ts';
import { inTransaction } from '#store/transaction.ts';
import { flag } from '#store/schema.ts';
import { isLiving } from '#store/queries/workspaces.ts';
import type { WorkspaceParts } from './parts.ts';

/** A file that somebody is about to upload; every value has been validated. */
export interface WantedUpload {
  /** In the form of `storedPath`. */
  readonly path: string;
  readonly contentType: string;
  /** Exact bytes, at least 1. */
  readonly size: number;
}

/** The files of one request. */
export interface WantedUploads {
  readonly files: readonly WantedUpload[];
  readonly allowOverrides: boolean;
}

/** An upload that is open now. */
export interface ReservedUpload {
  readonly id: string;
  readonly path: string;
  /** Whether a file of that path is stored, or stands before this one in the request. */
  readonly willOverride: boolean;
}

/** Opens all uploads of a request, in its order, or none of them. */
export function reserveUploads(
  parts: WorkspaceParts,
  workspaceId: string,
  wanted: WantedUploads,
): Promise<readonly ReservedUpload[] | Problem> {
  return inTransaction(
    parts.db,
    async (trx) => {
      if (!(await isLiving(trx, workspaceId))) return problem('workspace_not_found', {});
      const judged = await judge({ ...parts, db: trx }, workspaceId, wanted);
      if (isProblem(judged)) return judged;
      const now = parts.clock.now();
      await removeExpiredUploads(trx, now);
      const reserved = judged.map((upload) => ({ ...upload, id: parts.newId() }));
      for (const { id, path, contentType, size } of reserved) {
        const row = {
          id,
          workspace_id: workspaceId,
          path,
          content_type: contentType,
          size,
          may_override: flag(wanted.allowOverrides),
          // Bytes that began to come at the last moment may take as long again.
          open_until: now + 2 * parts.limits.uploadLifetimeMs,
        };
        await trx.insertInto('files').values(row).execute();
      }
      return reserved.map(({ id, path, willOverride }) => ({ id, path, willOverride }));
    },
    { of: [workspaceId] },
  );
}

type Judged = WantedUpload & { readonly willOverride: boolean };

/** Names that are taken and bytes that do not fit are refused before anything is reserved; bytes that are replaced count once. */
async function judge(
  { db, limits }: Pick<WorkspaceParts, 'limits'> & { readonly db: Database },
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

/** The refusal of bytes that a workspace has no room for. */
export function full({ used, wanted, limit }: { used: number; wanted: number; limit: number }): Problem {
  return problem('workspace_full', { used: String(used), wanted: String(wanted), limit: String(limit) });
}
