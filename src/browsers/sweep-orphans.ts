import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostLog } from './host-log.ts';
import { listProcesses } from './isolation/process-status.ts';
import {
  type BrowserFolder,
  browserFolder,
  isSessionId,
  readOwner,
  removeBrowserFolder,
} from './launch/browser-folder.ts';
import { readProfileMark } from './profile/profile-keeper.ts';
import {
  commandLine,
  isAlive,
  killGroup,
  type ProcessMark,
  processMark,
  waitForEnd,
} from './isolation/process-table.ts';

/** A killed process needs the kernel only; longer than this means that something is wrong with the machine. */
const GONE_WITHIN_MS = 5_000;

/** Session ids of browsers that an earlier service left. */
export interface Swept {
  /** Their processes and folders have gone. */
  readonly removed: readonly string[];
  /** Their processes have gone; their folders wait for `rescueProfiles`. */
  readonly withProfile: readonly string[];
}

/**
 * Ends what an earlier service left in a host's folder: its browsers' processes and folders. Folders of a service that
 * still lives are left alone. A service that is killed while it makes or removes a folder leaves one without an owner file:
 * such a one goes when it holds nothing but what we make. User data of a profile stay.
 */
export async function sweepOrphans(directory: string, log: HostLog): Promise<Swept> {
  const [removed, withProfile]: [string[], string[]] = [[], []];
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (!entry.isDirectory() || !isSessionId(entry.name)) continue;
    const folder = browserFolder(directory, entry.name);
    const owner = await readOwner(folder.ownerFile);
    if (owner === null ? !(await isHalfMade(folder)) : await isAlive(owner.service)) continue;
    for (const browser of await browsersOf(folder, owner?.browser ?? null)) await killBrowser(browser);
    if ((await readProfileMark(folder.profileMark)) !== null) {
      withProfile.push(entry.name);
      continue;
    }
    await removeBrowserFolder(folder);
    log.warn({ sessionId: entry.name, owner }, 'removed a browser that an earlier service left behind');
    removed.push(entry.name);
  }
  return { removed, withProfile };
}

async function isHalfMade(folder: BrowserFolder): Promise<boolean> {
  const { root, ownerFile, ...parts } = folder;
  const ours = new Set([ownerFile, `${ownerFile}.new`, ...Object.values(parts)]);
  return (await readdir(root)).every((name) => ours.has(join(root, name)));
}

/**
 * Only what proves to be the browser of this folder: it has its user data on its command line, and is the one that the owner
 * file names, if it names one. It does not name one that had only just been started.
 */
async function browsersOf({ profile }: BrowserFolder, named: ProcessMark | null): Promise<ProcessMark[]> {
  const candidates = named === null ? (await listProcesses()).map(({ pid }) => pid) : [named.pid];
  const marks = candidates.map(async (pid) => {
    if (!(await commandLine(pid)).includes(`--user-data-dir=${profile}`)) return null;
    return processMark(pid);
  });
  const found = (await Promise.all(marks)).filter((mark) => mark !== null);
  return named === null ? found : found.filter(({ startTicks }) => startTicks === named.startTicks);
}

async function killBrowser(browser: ProcessMark): Promise<void> {
  killGroup(browser.pid);
  await waitForEnd(browser, GONE_WITHIN_MS);
}
