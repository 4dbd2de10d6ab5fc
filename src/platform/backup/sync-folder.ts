import { open } from 'node:fs/promises';

/** Waits until the names in a folder are on the disk: a new file survives a power cut only with its name. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder);
  await handle.sync();
}
