import type { HostLog } from '../host-log.ts';
import { type BrowserFolder, removeBrowserFolder } from '../launch/browser-folder.ts';
import type { BrowserProfile } from './browser-profile.ts';
import { keepUserData } from './keep-user-data.ts';
import { readProfileMark } from './profile-mark.ts';

/**
 * Keeps the user data in the folder of a browser whose service was killed, as far as its disk has them, and removes the folder.
 * Without its processes, that is: whoever swept them calls this. What cannot be kept is logged and goes as well: at a later
 * start it could replace what was kept since.
 */
export async function rescueProfile(
  folder: BrowserFolder,
  profileOf: (profileId: string) => Promise<BrowserProfile | null>,
  log: HostLog,
): Promise<void> {
  const mark = await readProfileMark(folder.profileMark);
  const profile = mark === null ? null : await profileOf(mark.profileId);
  try {
    if (mark !== null && profile !== null)
      await keepUserData({ folder, profile, carried: mark.carried, cookieDomains: null });
  } catch (error) {
    log.warn({ err: error, folder: folder.root }, 'a profile stays as it was kept last');
  }
  await removeBrowserFolder(folder);
  log.warn({ folder: folder.root }, 'removed a browser with a profile that an earlier service left behind');
}
