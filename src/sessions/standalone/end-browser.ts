import { finishBrowser } from '#store/queries/browsers.ts';
import { inTransaction } from '#store/transaction.ts';
import type { StandaloneParts } from './parts.ts';

type Parts = Pick<StandaloneParts, 'db' | 'workspaces'>;

/** Writes down that a browser has ended; what was uploaded to it goes with it. One that has ended stays as it is. */
export async function endBrowser({ db, workspaces }: Parts, browserId: string, finishedAt: number): Promise<void> {
  const loose = await inTransaction(
    db,
    async (trx) => {
      await finishBrowser(trx, browserId, finishedAt);
      return workspaces.retireOwned(trx, browserId);
      // Uploads may come meanwhile, into a workspace that may just be made.
    },
    { of: 'everything' },
  );
  await workspaces.discard(loose);
}
