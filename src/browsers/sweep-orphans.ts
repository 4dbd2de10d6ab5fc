import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostLog } from './host-log.ts';
import { listProcesses } from './isolation/process-status.ts';
import { type BrowserFolder, browserFolder, isSessionId, removeBrowserFolder } from './launch/browser-folder.ts';
import { readOwner } from './launch/folder-owner.ts';
import { readProfileMark } from './profile/profile-keeper.ts';
import {
  commandLine,
  isAlive,
  killGroup,
  type ProcessMark,
  processMark,
  waitForEnd,
} from './isolation/process-table.ts';

/** Timeout for the end of a killed process. A longer time indicates a problem of the machine. */
const goneWithinMs = 5_000;

/** Session ids of the browsers that an earlier service left running. */
export interface Swept {
  /** Browsers whose processes and folders were removed. */
  readonly removed: readonly string[];
  /** Browsers whose processes were killed, and whose folders remain until `rescueProfile` has saved the profile. */
  readonly withProfile: readonly string[];
}

/**
 * Removes processes and folders that an earlier service left in a host's folder. Skips folders of a running service.
 * A folder without an owner file, left by a service that was killed while creating it, is removed if it contains only
 * known entries. The folder of a browser with a profile is kept, so that `rescueProfile` can save the profile.
 */
export async function sweepOrphans(directory: string, log: HostLog): Promise<Swept> {
  const [removed, withProfile]: [string[], string[]] = [[], []];
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (!entry.isDirectory() || !isSessionId(entry.name)) continue;
    const folder = browserFolder(directory, entry.name);
    const owner = await readOwner(folder.ownerFile);
    if (owner === null ? !(await isHalfMade(folder)) : await isAlive(owner.service)) continue;
    for (const browser of await getBrowsers(folder, owner?.browser ?? null)) await killBrowser(browser);
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
 * Returns the processes whose command line contains the user data folder of this browser. If the owner file names a
 * process (`named`), returns at most that process. Right after the start of a browser, the owner file names no process.
 */
async function getBrowsers({ profile }: BrowserFolder, named: ProcessMark | null): Promise<ProcessMark[]> {
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
  await waitForEnd(browser, goneWithinMs);
}
