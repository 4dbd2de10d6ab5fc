import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder } from '../data-folder.ts';
import { storageError } from '../storage-deadline.ts';
import { type Blobs, isBlobKey } from './blobs.ts';

/** Blobs as files of one folder; a file appears under its name only when it is complete. */
export function createDiskBlobs(folder: string): Blobs {
  const named = (key: string): { file: string; temporary: string } => {
    if (!isBlobKey(key)) throw new Error(`found the blob key ${JSON.stringify(key)}, expected one of newBlobKey`);
    return { file: join(folder, key), temporary: join(folder, `.${key}`) };
  };
  const synced = shareSync(() => syncFolder(folder));
  return {
    get: async (key) => (isBlobKey(key) ? orNull(readFile(named(key).file)) : null),
    async write(key, { bytes }) {
      const { file, temporary } = named(key);
      try {
        // Opened before anything can fail: a file that opens after its removal would stay.
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

/** The folder is made when it is missed: it is nearly always there. */
async function openNew(folder: string, file: string): Promise<FileHandle> {
  const opened = await orNull(open(file, 'wx', 0o600));
  if (opened !== null) return opened;
  makePrivateFolder(folder);
  return open(file, 'wx', 0o600);
}

/** Writes bytes to the disk and closes their file. */
async function fill(handle: FileHandle, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** What a file gives, or null when there is no such file. */
async function orNull<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** A new name survives a power cut only when its folder has been written too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Does the same work for many at once: whoever asks is told when the work was done that began after he had asked, and those who ask while it
 * is under way share the next. When it fails, it fails for all who share it, and for nobody else.
 */
export function shareSync(work: () => Promise<void>): () => Promise<void> {
  let latest: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | null = null;
  const begin = async (): Promise<void> => {
    // How the one before it ended is told to those who asked for it.
    await Promise.allSettled([latest]);
    next = null;
    const done = work();
    latest = done;
    await done;
  };
  return () => (next ??= begin());
}
