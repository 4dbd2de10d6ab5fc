import { discardBlobs } from '#accounts/workspaces/files.ts';
import { numberedName, storedName } from '#accounts/workspaces/file-names.ts';
import { type FinishedDownload, readPieces } from '#browsers/index.ts';
import { getLimit } from '#contract/rule-book.ts';
import { exactLength, newBlobKey } from '#store/blobs/blobs.ts';
import { markUnreferenced, unmarkUnreferenced } from '#store/blobs/unreferenced-blobs.ts';
import { deleteDownloads, hasDownload, insertDownload, oldDownloads } from '#store/queries/downloads.ts';
import { inTransaction } from '#store/transaction.ts';
import type { StandaloneDeps } from './deps.ts';

/** Dependencies of storing a download. */
export type KeepDeps = Pick<StandaloneDeps, 'db' | 'blobs' | 'clock' | 'newId'>;

/**
 * Stores a file of a browser's folder as a download. Writes the bytes under an unreferenced key, which one transaction
 * assigns to the download. After a failure, the next start of the service removes the bytes. Rejects when the bytes
 * cannot be written.
 */
export async function keepDownload(deps: KeepDeps, browserId: string, file: FinishedDownload): Promise<void> {
  const { db, blobs, clock, newId } = deps;
  const key = newBlobKey('bin');
  await markUnreferenced(db, key, clock.now());
  await blobs.write(key, { bytes: exactLength(readPieces(file.path), file.size), size: file.size });
  await inTransaction(
    db,
    async (trx) => {
      const path = await freeName(downloadName(file.name), (wanted) => hasDownload(trx, browserId, wanted));
      const row = { id: newId(), browserId, path, size: file.size, blobKey: key };
      await insertDownload(trx, { ...row, finishedAt: clock.now() });
      await unmarkUnreferenced(trx, [key]);
    },
    { of: [browserId] },
  );
}

/** Returns the name if it is free, else the name with the first free number. */
async function freeName(name: string, isTaken: (path: string) => Promise<boolean>): Promise<string> {
  for (let number = 0; ; number += 1) {
    const path = number === 0 ? name : numberedName(name, number);
    if (!(await isTaken(path))) return path;
  }
}

/** Name of a stored file whose own name contains no usable character. */
const nameless = 'download';

/** Returns the name of a download as one path segment that is safe on every system. */
function downloadName(name: string): string {
  return storedName(name) ?? nameless;
}

/** Maximum number of downloads removed in one transaction. */
const atOnce = 500;

type Parts = Pick<StandaloneDeps, 'db' | 'blobs' | 'clock' | 'rules' | 'log'>;

/**
 * Removes the downloads of browsers that were stopped longer ago than the lifetime of downloads
 * (spec/rules/limits.yaml).
 */
export async function removeOldDownloads(deps: Parts): Promise<void> {
  const { db, clock, rules } = deps;
  const stoppedBefore = clock.now() - getLimit(rules, 'downloadLifetime');
  for (;;) {
    const keys = await inTransaction(
      db,
      async (trx) => {
        const old = await oldDownloads(trx, { stoppedBefore, limit: atOnce });
        for (const { blobKey: key } of old) await markUnreferenced(trx, key, clock.now());
        await deleteDownloads(
          trx,
          old.map(({ id }) => id),
        );
        return old.map(({ blobKey: key }) => key);
      },
      { of: ['old downloads'] },
    );
    await discardBlobs(deps, keys);
    if (keys.length < atOnce) return;
  }
}
