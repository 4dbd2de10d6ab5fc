import { HostBusy } from '../browsers/index.ts';
import type { BrowserRow } from '../storage/browsers.ts';
import type { StandaloneParts } from './create-standalone-browsers.ts';
import { obey } from './obey.ts';
import type { RunningBrowsers } from './running-browsers.ts';

/**
 * Has a browser started by its owner; settles as soon as it answers, false when it was stopped meanwhile. Rejects with HostBusy when its
 * turn does not come, and with an Error when it does not start or nobody is there to start it.
 */
export async function beginBrowser(
  parts: StandaloneParts,
  running: RunningBrowsers,
  { id, owner }: BrowserRow,
): Promise<boolean> {
  if (parts.owners.self !== null && owner === null) throw new Error('found no worker that takes a browser');
  const command = { op: 'begin', browserId: id } as const;
  const { begun, waiting, retryAfterMs } = await parts.owners.perform(command, () => obey(parts, running, command));
  if (typeof waiting === 'number' && typeof retryAfterMs === 'number') throw new HostBusy(waiting, retryAfterMs);
  return begun === true;
}
