import { browserById, finishBrowser, isStopped } from '#store/queries/browsers.ts';
import { leasesOfStopped } from '#store/queries/profiles.ts';
import { inTransaction } from '#store/transaction.ts';
import { removeOldDownloads } from './downloads.ts';
import type { RunningBrowsers, StandaloneDeps } from './deps.ts';

/**
 * Stops a browser permanently. Resolves when its process, uploads and profile lock are released. Also ends its
 * recording, and removes expired downloads of all browsers.
 */
export async function stopBrowser(deps: StandaloneDeps, running: RunningBrowsers, id: string): Promise<void> {
  const { db, clock } = deps;
  // Later than the start, because a browser that ended at its start counts as one that never ran.
  const finishedAt = Math.max(clock.now(), (await browserById(db, id)).startedAt + 1);
  await endBrowser(deps, id, finishedAt);
  // Also when another request was first: each stop resolves when the browser has ended.
  await running.stop(id);
  await deps.browserProfiles.release(id);
  await deps.recordings.end(id);
  await removeOldDownloads(deps);
}

/**
 * Ends the processes of stopped browsers, and releases the profile locks of stopped browsers without a process. Handles
 * only browsers for which `isConfirmed` returns true.
 */
export async function finishStops(
  deps: StandaloneDeps,
  running: RunningBrowsers,
  isConfirmed: (id: string) => boolean,
): Promise<void> {
  const { db, owners, browserProfiles } = deps;
  for (const id of running.ids()) if ((await isStopped(db, id)) && isConfirmed(id)) await running.stop(id);
  const living = new Set(running.ids());
  for (const id of await leasesOfStopped(db, owners.self))
    if (!living.has(id) && isConfirmed(id)) await browserProfiles.release(id);
}

type Parts = Pick<StandaloneDeps, 'db' | 'workspaces'>;

/** Records the end of a browser and removes its uploads; does nothing for an ended browser. */
export async function endBrowser({ db, workspaces }: Parts, browserId: string, finishedAt: number): Promise<void> {
  const unreferenced = await inTransaction(
    db,
    async (trx) => {
      await finishBrowser(trx, browserId, finishedAt);
      return workspaces.retireOwned(trx, browserId);
      // The scope is `everything`, because an upload may create the workspace at the same time.
    },
    { of: 'everything' },
  );
  await workspaces.discard(unreferenced);
}
