import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readPieces } from '../downloads/downloads.ts';
import type { BrowserFolder } from '../launch/browser-folder.ts';
import { isMissing } from '#lib/system-errors.ts';
import { type UserDataFile, writeArchive } from './archive.ts';
import type { BrowserProfile } from './browser-profile.ts';
import type { CarriedState } from './carried-state.ts';

/** State of an ended browser to save. */
export interface Kept {
  readonly folder: BrowserFolder;
  readonly profile: BrowserProfile;
  readonly carried: CarriedState;
  /** Hosts that have cookies in the browser; null when the browser did not report its cookies. */
  readonly cookieDomains: readonly string[] | null;
}

/**
 * Saves the user data of an ended browser to its profile. First moves them to a folder that the operating system user
 * of the browser cannot access, so that no file can be replaced by a link meanwhile. Rejects on failure; the previously
 * saved state then stays valid.
 */
export async function keepUserData({ folder, profile, carried, cookieDomains }: Kept): Promise<void> {
  const userData = await moveAway(folder);
  const files = await listUserData(userData, profile);
  const archive = join(folder.kept, 'archive');
  // A killed service may have left an incomplete archive.
  await rm(archive, { force: true });
  const size = await writeArchive(archive, { folder: userData, files, carried });
  await profile.keep({ bytes: readPieces(archive), size, cookieDomains });
  // The state is saved, so a later start must not save it again.
  await rm(folder.profileMark, { force: true });
}

/**
 * Moves the user data to a folder that the browser's user cannot access, and returns this folder. Moves nothing if
 * the service was killed after an earlier move.
 */
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

/** Limits of saved user data. */
export interface Bounds {
  readonly bytesMax: number;
  readonly filesMax: number;
}

/**
 * Lists the files of user data to save. Skips symbolic links and files with several hard links, which could lead to
 * files of other users, because the browser controlled the folder. Throws a RangeError when the files exceed a limit.
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

/**
 * Names of files and folders in user data that are not saved. Chromium creates these folders again, and these files are
 * valid for one process only.
 */
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

/** Depth to which file names are compared with `leftOut`: the user data folder and the Chromium profile in it. */
const depthMax = 2;

/**
 * Returns whether a file or folder is not saved. `depth` is 1 for entries of the user data folder itself. Data of pages
 * are deeper than `depthMax`.
 */
function isLeftOut(name: string, depth: number): boolean {
  return depth <= depthMax && leftOut.has(name);
}
