import { HostBusy } from '#browsers/index.ts';
import { type BrowserRow, browserById } from '#store/browsers.ts';
import { giveToWorker } from './among-others.ts';
import type { StandaloneParts } from './parts.ts';
import { obey } from './obey.ts';
import type { RunningBrowsers } from './parts.ts';

/**
 * Has a browser started by its owner; settles as soon as it answers, false when it was stopped meanwhile. Rejects with HostBusy when its
 * turn does not come, and with an Error when it does not start or nobody is there to start it. An owner that dies before it answers, or
 * that has given the browser up meanwhile, is nobody's concern: another one starts it.
 */
export async function beginBrowser(
  parts: StandaloneParts,
  running: RunningBrowsers,
  { id }: Pick<BrowserRow, 'id'>,
): Promise<boolean> {
  const command = { op: 'begin', browserId: id } as const;
  for (;;) {
    await giveToWorker(parts, await browserById(parts.db, id));
    const answer = await parts.owners.perform(command, () => obey(parts, running, command));
    const { begun, isElsewhere, waiting, retryAfterMs } = answer;
    if (typeof waiting === 'number' && typeof retryAfterMs === 'number') throw new HostBusy(waiting, retryAfterMs);
    if (isElsewhere !== true) return begun === true;
  }
}
