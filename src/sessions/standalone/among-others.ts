import { HostBusy } from '#browsers/index.ts';
import type { Answer } from '#cluster/owner-requests.ts';
import type { BrowserCommand } from '#cluster/worker-bus.ts';
import { browserStatus } from '#generated/states.ts';
import {
  listOwnedBrowsers,
  adoptUnownedBrowsers,
  bookTraffic,
  browserById,
  type BrowserRow,
  freeBrowser,
  isStopped,
  takeUnownedBrowser,
} from '#store/queries/browsers.ts';
import { placeUpload } from './browser-uploads.ts';
import type { RunningBrowsers, StandaloneDeps } from './deps.ts';
import { stopBrowser } from './stop-browser.ts';

type Parts = Pick<StandaloneDeps, 'db' | 'owners'>;

/**
 * Makes this process the owner of an active browser, and returns the browser. Another owner first releases the browser,
 * unless the browser runs there. Returns null if this process is not the owner afterwards. A service with one process
 * has no owners and always returns the browser.
 */
export async function takeBrowser({ db, owners }: Parts, { id }: BrowserRow): Promise<BrowserRow | null> {
  if (owners.self === null) return browserById(db, id);
  const take = async (): Promise<Answer> => {
    await takeUnownedBrowser(db, id, owners.own());
    return {};
  };
  await owners.perform({ op: 'giveUp', browserId: id }, take);
  await take();
  const now = await browserById(db, id);
  return now.owner === owners.self ? now : null;
}

/**
 * Assigns an unowned active browser to a worker; does nothing for any other browser. Throws when no worker is
 * available.
 */
export async function giveToWorker({ db, owners }: Parts, { id, owner, status }: BrowserRow): Promise<void> {
  if (owners.self === null || owner !== null || status !== browserStatus.active) return;
  const next = await owners.next();
  if (next.owner === null) throw new Error('found no worker that takes a browser');
  await takeUnownedBrowser(db, id, next);
}

/** Returns true for an active browser that this process does not own, and therefore must not start. */
export async function isElsewhere({ db, owners }: Parts, id: string): Promise<boolean> {
  if (owners.self === null) return false;
  const { owner, status } = await browserById(db, id);
  return status === browserStatus.active && owner !== owners.self;
}

/**
 * Releases the ownership of a browser that has no Chromium in this process, so that another process can own the
 * browser.
 */
function giveUp({ db, owners }: Parts, running: RunningBrowsers, id: string): Promise<void> {
  return running.leave(id, () => freeBrowser(db, id, owners.self));
}

/** Takes ownership of unowned active browsers that have no URL, or a URL that belongs to no living process. */
export function adoptBrowsers({ db, owners }: Parts): Promise<void> {
  return adoptUnownedBrowsers(db, owners.own());
}

/**
 * Books the traffic of this process's browsers. Other processes then know the amount, and the end of this process does
 * not lose it.
 */
export async function bookAllTraffic({ db, owners }: Parts, running: RunningBrowsers): Promise<void> {
  for (const { id, bookedBytes } of await listOwnedBrowsers(db, owners.self)) {
    const bytes = running.trafficBytes(id);
    if (bytes > bookedBytes) await bookTraffic(db, id, bytes);
  }
}

/** Handles a command for a browser that this process owns; resolves when the command is done. */
export async function handleCommand(
  deps: StandaloneDeps,
  running: RunningBrowsers,
  command: BrowserCommand,
): Promise<Answer> {
  if (command.op === 'begin') return begin(deps, running, command.browserId);
  await carryOut(deps, running, command);
  return {};
}

type Other = Exclude<BrowserCommand, { op: 'begin' }>;

async function carryOut(deps: StandaloneDeps, running: RunningBrowsers, command: Other): Promise<void> {
  const { browserId } = command;
  switch (command.op) {
    case 'stopBrowser':
      return stopBrowser(deps, running, browserId);
    case 'giveUp':
      return giveUp(deps, running, browserId);
    case 'yieldBrowser':
      return yieldProfile(deps, running, browserId);
    case 'placeUpload':
      return place(deps, running, command.fileId);
  }
}

/** Copies an uploaded file into the folder of its browser, unless the file was removed meanwhile. */
async function place(deps: StandaloneDeps, running: RunningBrowsers, fileId: string): Promise<void> {
  const file = await deps.workspaces.findFile(fileId);
  if (file !== null) await placeUpload(deps, running, file);
}

async function begin(deps: StandaloneDeps, running: RunningBrowsers, browserId: string): Promise<Answer> {
  try {
    const begun = await running.begin(await browserById(deps.db, browserId));
    return begun ? { begun } : { begun, isElsewhere: await isElsewhere(deps, browserId) };
  } catch (error) {
    if (!(error instanceof HostBusy)) throw error;
    return { waiting: error.waiting, retryAfterMs: error.retryAfterMs };
  }
}

/** Releases the profile lock of a stopped browser once it has ended. A living browser keeps its profile. */
async function yieldProfile(deps: StandaloneDeps, running: RunningBrowsers, id: string): Promise<void> {
  if (!(await isStopped(deps.db, id))) return;
  await running.stop(id);
  await deps.browserProfiles.release(id);
}
