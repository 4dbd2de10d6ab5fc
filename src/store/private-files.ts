import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { chmod, lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Modes of what only the user of the service may reach, whatever umask it was started with. */
const [folderMode, fileMode] = [0o700, 0o600];
/** Everybody but the owner. */
const others = 0o077;

/**
 * Makes a folder that only its owner can reach, if it is missing. The folders above it get the mode that the umask gives. Throws EEXIST where
 * a file has the name.
 */
export function makePrivateFolder(folder: string): void {
  mkdirSync(dirname(folder), { recursive: true });
  try {
    mkdirSync(folder, { mode: folderMode });
  } catch (error) {
    if (!hasCode(error, 'EEXIST') || !statSync(folder).isDirectory()) throw error;
    return;
  }
  // A umask may have taken more away.
  chmodSync(folder, folderMode);
}

/** Makes an empty file that only its owner can reach, if it is missing. SQLite gives the files beside a database the mode of the database. */
export function makePrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', fileMode));
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

/**
 * Returns what others can reach of a data folder: the folder itself, what lies in it, and what lies in those of its folders that are open.
 * Empty for a folder that is missing. What a browser writes is looked at no deeper: its folder is what keeps others out.
 */
export async function openPaths(dataFolder: string): Promise<readonly string[]> {
  const found = await openBelow(dataFolder);
  const open = (await isOpen(dataFolder)) ? [dataFolder, ...found] : found;
  const deeper = await Promise.all(found.filter((path) => !path.endsWith('/browsers')).map(openBelow));
  return [...open, ...deeper.flat()];
}

/** Takes what {@link openPaths} finds away from others; returns it. Rejects when the service does not own it. */
export async function closePaths(dataFolder: string): Promise<readonly string[]> {
  const paths = await openPaths(dataFolder);
  for (const path of paths) await chmod(path, (await lstat(path)).isDirectory() ? folderMode : fileMode);
  return paths;
}

async function openBelow(folder: string): Promise<string[]> {
  try {
    const paths = (await readdir(folder)).map((name) => join(folder, name));
    const open: string[] = [];
    for (const path of paths) if (await isOpen(path)) open.push(path);
    return open;
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return [];
    throw error;
  }
}

/** A link has no mode of its own, and what it leads to is not the service's. A file may go while it is looked at. */
async function isOpen(path: string): Promise<boolean> {
  try {
    const found = await lstat(path);
    return (found.isDirectory() || found.isFile() || found.isSocket()) && (found.mode & others) !== 0;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
