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
import { hasCode } from '#lib/system-errors.ts';

/** Modes of folders and files that only the user of the service may access. */
const [folderMode, fileMode] = [0o700, 0o600];
/** Permission bits of group and others. */
const others = 0o077;

/**
 * Creates a folder that only its owner can access, unless it exists. Parent folders get the mode of the umask. Throws
 * EEXIST when the path is a file.
 */
export function makePrivateFolder(folder: string): void {
  mkdirSync(dirname(folder), { recursive: true });
  try {
    mkdirSync(folder, { mode: folderMode });
  } catch (error) {
    if (!hasCode(error, 'EEXIST') || !statSync(folder).isDirectory()) throw error;
    return;
  }
  // The umask may have removed further permissions.
  chmodSync(folder, folderMode);
}

/**
 * Creates an empty file that only its owner can access, unless it exists. SQLite gives companion files the mode of the
 * database file.
 */
export function makePrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', fileMode));
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

/**
 * Returns the paths in a data folder that other users can access: the folder itself, its entries, and the entries of
 * its accessible subfolders. Empty for a missing folder. Does not search the folder `browsers`, because the folders in
 * it have restrictive modes of their own.
 */
export async function openPaths(dataFolder: string): Promise<readonly string[]> {
  const found = await openBelow(dataFolder);
  const open = (await isOpen(dataFolder)) ? [dataFolder, ...found] : found;
  const deeper = await Promise.all(found.filter((path) => !path.endsWith('/browsers')).map(openBelow));
  return [...open, ...deeper.flat()];
}

/**
 * Restricts the paths found by {@link openPaths} to their owner and returns these paths. Rejects when the service does
 * not own a path.
 */
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
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}

/**
 * Returns whether group or others have permissions for a file, folder or socket. False for a symbolic link, whose
 * target does not belong to the service, and for a file that disappears during the check.
 */
async function isOpen(path: string): Promise<boolean> {
  try {
    const found = await lstat(path);
    return (found.isDirectory() || found.isFile() || found.isSocket()) && (found.mode & others) !== 0;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

const secretBytes = 32;

/** Secrets of the service for signing URLs and for encryption. Each has at least 32 bytes. */
export interface ServiceSecrets {
  readonly signing: Uint8Array;
  readonly sealing: Uint8Array;
}

/**
 * Returns the signing secret from the data folder; creates it with mode 600 on the first start. Throws if the file has
 * a wrong length.
 */
export function signingSecret(dataFolder: string): Uint8Array {
  return keptSecret(dataFolder, { name: 'signing-secret', ends: 'every address signed so far' });
}

/**
 * Returns the secret that encrypts stored secrets, such as access tokens, provider keys and the secrets of tasks.
 * Creates and checks the secret like {@link signingSecret}.
 */
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

/**
 * Writes a new random secret to a temporary file and then renames it, so that a crash never leaves an incomplete
 * secret.
 */
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
 * Locks a data folder for this process; the returned function and the end of the process release it. Throws when
 * another process holds the lock for `lockTimeoutMs`: two services on one folder would end each other's sessions.
 */
export function lockFolder(folder: string, lockTimeoutMs = 0): () => void {
  makePrivateFolder(folder);
  const file = join(folder, 'lock.sqlite');
  makePrivateFile(file);
  // This database has no tables, only a lock. The operating system releases the lock when the process ends.
  const lock = new DatabaseSync(file, { timeout: lockTimeoutMs });
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
