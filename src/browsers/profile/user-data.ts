import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readPieces } from '../downloads/downloads.ts';
import type { BrowserFolder } from '../launch/browser-folder.ts';
import { isMissing } from '../isolation/process-table.ts';
import { type UserDataFile, writeArchive } from './archive.ts';
import type { BrowserProfile } from './browser-profile.ts';
import type { CarriedState } from './carried-state.ts';

/** What is kept of a browser that has ended. */
export interface Kept {
  readonly folder: BrowserFolder;
  readonly profile: BrowserProfile;
  readonly carried: CarriedState;
  /** Hosts of its cookies, or null when the browser could not be asked. */
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

/** What of user data can be kept. */
export interface Bounds {
  readonly bytesMax: number;
  readonly filesMax: number;
}

/**
 * The files of a folder that belong to a saved profile. Links are left out, and so are files with more than one name: the folder
 * was the browser's, and either could lead to what is not its own. Throws a RangeError when they are more than the bounds.
 */
export async function listUserData(folder: string, { bytesMax, filesMax }: Bounds): Promise<UserDataFile[]> {
  const files: UserDataFile[] = [];
  let bytes = 0;
  for await (const file of walk(folder, [])) {
    bytes += file.size;
    files.push(file);
    if (bytes > bytesMax) throw new RangeError(`found more than ${bytesMax} bytes of user data`);
    if (files.length > filesMax) throw new RangeError(`found more than ${filesMax} files of user data`);
  }
  return files;
}

async function* walk(folder: string, parts: readonly string[]): AsyncGenerator<UserDataFile> {
  for (const entry of await readdir(join(folder, ...parts), { withFileTypes: true })) {
    const path = [...parts, entry.name];
    if (isLeftOut(entry.name, path.length)) continue;
    if (entry.isDirectory()) yield* walk(folder, path);
    if (!entry.isFile()) continue;
    const { size, nlink } = await lstat(join(folder, ...path));
    if (nlink === 1) yield { path: path.join('/'), size };
  }
}

/** Folders of Chromium's user data that it fills again by itself, and files that belong to one process. */
const leftOut = new Set([
  'BrowserMetrics',
  'Cache',
  'Code Cache',
  'Crash Reports',
  'Crashpad',
  'DawnCache',
  'DawnGraphiteCache',
  'DawnWebGPUCache',
  'GPUCache',
  'GPUPersistentCache',
  'GrShaderCache',
  'GraphiteDawnCache',
  'Safe Browsing',
  'Shared Dictionary',
  'ShaderCache',
  'SingletonCookie',
  'SingletonLock',
  'SingletonSocket',
  'DevToolsActivePort',
  'component_crx_cache',
  'extensions_crx_cache',
  'optimization_guide_model_store',
  'segmentation_platform',
]);

/** Folders of user data whose parts are looked at by name: their own ones, and those of the one profile in them. */
const depthMax = 2;

/** Whether a part of the user data is not kept: `depth` is 1 for the parts of the folder itself. What pages store lies deeper. */
function isLeftOut(name: string, depth: number): boolean {
  return depth <= depthMax && leftOut.has(name);
}
