import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder } from '#store/data-folder.ts';
import { BackupFault } from './backup-fault.ts';

/**
 * Does work that fills a folder, which is made where there is none; when the work fails the folder is empty again. Rejects with a
 * {@link BackupFault} for a folder that holds something.
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
