import type { StandaloneParts } from './parts.ts';
import { removeOldDownloads } from './downloads/remove-old-downloads.ts';
import { leasesOfStopped } from '#store/queries/profiles.ts';
import { browserById, isStopped } from '#store/queries/browsers.ts';
import { endBrowser } from './end-browser.ts';
import type { RunningBrowsers } from './parts.ts';

/** Ends a browser for good; settles when it has gone with everything that it had. */
export async function stopBrowser(parts: StandaloneParts, running: RunningBrowsers, id: string): Promise<void> {
  const { db, clock } = parts;
  // Later than the start, because a browser that ended at its start counts as one that never ran.
  const finishedAt = Math.max(clock.now(), (await browserById(db, id)).started_at + 1);
  await endBrowser(parts, id, finishedAt);
  // Also when somebody else was first: whoever asks for a stop is answered when the browser has gone.
  await running.stop(id);
  await parts.browserProfiles.release(id);
  await parts.recordings.end(id);
  await removeOldDownloads(parts);
}

/** Ends what a stop has left: the processes and the profile of browsers that are stopped, where that has been so for a while. */
export async function finishStops(
  parts: StandaloneParts,
  running: RunningBrowsers,
  isConfirmed: (id: string) => boolean,
): Promise<void> {
  const { db, owners, browserProfiles } = parts;
  for (const id of running.ids()) if ((await isStopped(db, id)) && isConfirmed(id)) await running.stop(id);
  const living = new Set(running.ids());
  for (const id of await leasesOfStopped(db, owners.self))
    if (!living.has(id) && isConfirmed(id)) await browserProfiles.release(id);
}
