import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A file of a browser's user data. */
export interface UserDataFile {
  /** Relative to the folder, with `/` between its parts. */
  readonly path: string;
  readonly size: number;
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
