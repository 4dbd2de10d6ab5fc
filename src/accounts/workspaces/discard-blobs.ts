import { looseKeys, unmarkLoose } from '#store/blobs/unreferenced-blobs.ts';
import type { WorkspaceParts } from './parts.ts';

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
