import { limitOf } from '#contract/rule-book.ts';
import { markLoose } from '#store/blobs/unreferenced-blobs.ts';
import { oldDownloads } from '#store/queries/downloads.ts';
import { inTransaction } from '#store/transaction.ts';
import { discardBlobs } from '#accounts/workspaces/index.ts';
import type { StandaloneParts } from '../parts.ts';

/** How many are removed in one transaction. */
const atOnce = 500;

type Parts = Pick<StandaloneParts, 'db' | 'blobs' | 'clock' | 'rules' | 'log'>;

/** Removes the downloads of browsers that were stopped longer ago than downloads are kept (spec/rules/limits.yaml). */
export async function removeOldDownloads(parts: Parts): Promise<void> {
  const { db, clock, rules } = parts;
  const stoppedBefore = clock.now() - limitOf(rules, 'downloadLifetime');
  for (;;) {
    const keys = await inTransaction(
      db,
      async (trx) => {
        const old = await oldDownloads(trx, { stoppedBefore, limit: atOnce });
        for (const { blob_key: key } of old) await markLoose(trx, key, clock.now());
        const ids = old.map(({ id }) => id);
        if (ids.length > 0) await trx.deleteFrom('downloads').where('id', 'in', ids).execute();
        return old.map(({ blob_key: key }) => key);
      },
      { of: ['old downloads'] },
    );
    await discardBlobs(parts, keys);
    if (keys.length < atOnce) return;
  }
}
