import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isLeftOut } from './left-out.ts';

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
