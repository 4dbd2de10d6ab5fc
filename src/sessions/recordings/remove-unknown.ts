import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '#browsers/launch/is-missing.ts';

/** Removes the files of a folder that nobody knows; without effect when there is no such folder. */
export async function removeUnknown(folder: string, known: ReadonlySet<string>): Promise<void> {
  for (const name of await namesIn(folder)) {
    const path = join(folder, name);
    if (!known.has(path)) await rm(path, { recursive: true, force: true });
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
