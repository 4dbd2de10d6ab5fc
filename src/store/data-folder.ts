import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { chmod, lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

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

const secretBytes = 32;

/** What a service signs its addresses with, and seals what must not lie open. Each has at least 32 bytes. */
export interface ServiceSecrets {
  readonly signing: Uint8Array;
  readonly sealing: Uint8Array;
}

/** The service's signing secret: read from the data folder, made with mode 600 on the first start. Throws for a damaged file. */
export function signingSecret(dataFolder: string): Uint8Array {
  return keptSecret(dataFolder, { name: 'signing-secret', ends: 'every address signed so far' });
}

/** The secret that secrets of waiting and running tasks are sealed with; kept like the signing secret. */
export function sealingSecret(dataFolder: string): Uint8Array {
  return keptSecret(dataFolder, { name: 'sealing-secret', ends: 'every task that waits with secrets' });
}

function keptSecret(dataFolder: string, { name, ends }: { name: string; ends: string }): Uint8Array {
  const file = join(dataFolder, name);
  if (!existsSync(file)) makeSecret(dataFolder, file);
  const secret = readFileSync(file);
  if (secret.length === secretBytes) return secret;
  throw new Error(
    `found ${secret.length} bytes in ${file}, expected ${secretBytes}: delete the file to make a new secret, which ends ${ends}`,
  );
}

/** Complete on the disk before it has its name, so that a crash never leaves an empty secret behind. */
function makeSecret(dataFolder: string, file: string): void {
  makePrivateFolder(dataFolder);
  const temporary = `${file}.${process.pid}`;
  const handle = openSync(temporary, 'w', 0o600);
  try {
    writeSync(handle, randomBytes(secretBytes));
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(temporary, file);
}

/**
 * Takes a data folder for this process alone; the returned function gives it back, and so does the end of the process, however
 * it comes. Throws when another process has it, and keeps it for `patienceMs`: two services on one folder would end each other's sessions.
 */
export function lockFolder(folder: string, patienceMs = 0): () => void {
  makePrivateFolder(folder);
  const file = join(folder, 'lock.sqlite');
  makePrivateFile(file);
  // A database that holds nothing but its own write lock, which the operating system releases with the process.
  const lock = new DatabaseSync(file, { timeout: patienceMs });
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    throw new Error(
      `found ${folder} in use by another service, expected a data folder of its own: choose another --data`,
      {
        cause: error,
      },
    );
  }
  return () => lock.close();
}
