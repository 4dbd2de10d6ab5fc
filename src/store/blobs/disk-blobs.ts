import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '#lib/system-errors.ts';
import { makePrivateFolder } from '../data-folder.ts';
import { storageError } from '../storage-deadline.ts';
import { type Blobs, isBlobKey } from './blobs.ts';

/** Creates a blob store in a folder. Each blob is written to a temporary file, which is renamed when it is complete. */
export function createDiskBlobs(folder: string): Blobs {
  const named = (key: string): { file: string; temporary: string } => {
    if (!isBlobKey(key)) throw new Error(`found the blob key ${JSON.stringify(key)}, expected one of newBlobKey`);
    return { file: join(folder, key), temporary: join(folder, `.${key}`) };
  };
  const synced = coalesce(() => syncFolder(folder));
  return {
    get: async (key) => (isBlobKey(key) ? orNull(readFile(named(key).file)) : null),
    async write(key, { bytes }) {
      const { file, temporary } = named(key);
      try {
        // Waits until the file is open. If the cleanup below ran earlier, a file that opens afterwards would remain.
        const handle = await openNew(folder, temporary);
        await fill(handle, bytes);
        await rename(temporary, file);
      } catch (error) {
        await rm(temporary, { force: true });
        throw storageError(error);
      }
      await synced();
    },
    async read(key, range) {
      const handle: FileHandle | null = isBlobKey(key) ? await orNull(open(named(key).file)) : null;
      if (handle === null) return null;
      return range === undefined
        ? handle.createReadStream()
        : handle.createReadStream({ start: range.first, end: range.last });
    },
    async remove(key) {
      const { file, temporary } = named(key);
      await rm(file, { force: true });
      await rm(temporary, { force: true });
    },
  };
}

/** Opens a new file. Creates its folder only after a first attempt failed, because the folder nearly always exists. */
async function openNew(folder: string, file: string): Promise<FileHandle> {
  const opened = await orNull(open(file, 'wx', 0o600));
  if (opened !== null) return opened;
  makePrivateFolder(folder);
  return open(file, 'wx', 0o600);
}

/** Writes and syncs the bytes, then closes the file. */
async function fill(handle: FileHandle, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Returns the result of a file operation, or null when the file does not exist. */
async function orNull<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Syncs a folder, without which a new file name does not survive a power failure. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Returns a function that runs `work`, one run at a time. Calls during a run share the next run. A failed run rejects
 * only the calls that share it.
 */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let latest: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | null = null;
  const begin = async (): Promise<void> => {
    // The outcome of the previous run belongs to its own callers.
    await Promise.allSettled([latest]);
    next = null;
    const done = work();
    latest = done;
    await done;
  };
  return () => (next ??= begin());
}
