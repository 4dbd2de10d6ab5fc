import { open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { unlessMissing } from '#lib/system-errors.ts';
import { makePrivateFolder } from '#store/data-folder.ts';
import { BackupFault, type Content, createCounter } from './manifest.ts';

/**
 * Copies a file durably, readable for its owner only, and returns its size and hash. Of a growing file it copies the
 * bytes up to some moment. Returns null for a missing file; rejects when the target exists.
 */
export async function copyHashed(source: string, target: string): Promise<Content | null> {
  await using from = await open(source).catch(unlessMissing(null));
  if (from === null) return null;
  await using to = await open(target, 'wx', 0o600);
  const counter = createCounter();
  await pipeline(from.createReadStream(), (pieces) => counter.pass(pieces), to.createWriteStream({ flush: true }));
  return counter.content();
}

/**
 * Creates a folder if needed, and runs work that fills the folder. If the work fails, empties the folder. Rejects with
 * a {@link BackupFault} if the folder is not empty before the work.
 */
export async function fillEmptyFolder<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  makePrivateFolder(folder);
  const found = await readdir(folder);
  if (found.length > 0)
    throw new BackupFault(`found ${found.length} entries in ${folder}, expected an empty folder or none`);
  try {
    return await work();
  } catch (error) {
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
    throw error;
  }
}

/** Flushes the entries of a folder to the disk: otherwise a new file may be lost in a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder);
  await handle.sync();
}
