import { readdir } from 'node:fs/promises';
import type { HostLog } from '../host-log.ts';
import { type BrowserFolder, browserFolder, isSessionId, removeBrowserFolder } from './browser-folder.ts';
import { readProfileMark } from '../profile/profile-mark.ts';
import { readOwner } from './owner-file.ts';
import { commandLine, isAlive, killGroup, type ProcessMark, waitUntilGone } from './process-table.ts';

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
 * still lives are left alone, and so is every folder without an owner file. User data of a profile stay.
 */
export async function sweepOrphans(directory: string, log: HostLog): Promise<Swept> {
  const [removed, withProfile]: [string[], string[]] = [[], []];
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (!entry.isDirectory() || !isSessionId(entry.name)) continue;
    const folder = browserFolder(directory, entry.name);
    const owner = await readOwner(folder.ownerFile);
    if (owner === null || (await isAlive(owner.service))) continue;
    if (owner.browser !== null) await killBrowser(owner.browser, folder);
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

/** Kills only what proves to be the browser of this folder: same number, same start, same user data on its command line. */
async function killBrowser(browser: ProcessMark, folder: BrowserFolder): Promise<void> {
  if (!(await isAlive(browser))) return;
  if (!(await commandLine(browser.pid)).includes(`--user-data-dir=${folder.profile}`)) return;
  killGroup(browser.pid);
  await waitUntilGone(browser, GONE_WITHIN_MS);
}
