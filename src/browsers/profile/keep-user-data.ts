import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readPieces } from '../downloads/read-pieces.ts';
import type { BrowserFolder } from '../launch/browser-folder.ts';
import { isMissing } from '../launch/is-missing.ts';
import type { BrowserProfile } from './browser-profile.ts';
import type { CarriedState } from './carried-state.ts';
import { listUserData } from './list-user-data.ts';
import { writeArchive } from './write-archive.ts';

/** What is kept of a browser that has ended. */
export interface Kept {
  readonly folder: BrowserFolder;
  readonly profile: BrowserProfile;
  readonly carried: CarriedState;
  /** Hosts of its cookies, or null where nobody could ask it. */
  readonly cookieDomains: readonly string[] | null;
}

/**
 * Keeps the user data of a browser none of whose processes is left; what cannot be kept rejects, and what was kept before stays.
 * The folder is moved out of reach of the browser's user first, so that nothing of it can become a link while it is read.
 */
export async function keepUserData({ folder, profile, carried, cookieDomains }: Kept): Promise<void> {
  const userData = await moveAway(folder);
  const files = await listUserData(userData, profile);
  const archive = join(folder.kept, 'archive');
  // One that a killed service had begun.
  await rm(archive, { force: true });
  const size = await writeArchive(archive, { folder: userData, files, carried });
  await profile.keep({ bytes: readPieces(archive), size, cookieDomains });
  // From here on a service that is killed leaves nothing to rescue.
  await rm(folder.profileMark, { force: true });
}

/** A service that was killed may have moved it before. */
async function moveAway({ profile, kept }: BrowserFolder): Promise<string> {
  const userData = join(kept, 'user-data');
  await mkdir(kept, { recursive: true, mode: 0o700 });
  try {
    await rename(profile, userData);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  return userData;
}
