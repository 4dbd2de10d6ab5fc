import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import type { DownloadTaker } from './downloaded-file.ts';

/**
 * Hands a complete file to the taker and removes it; answers why it was not taken, or null. A name that is a link is not
 * followed: the browser's own user may write to the folder, and could point us at files that it cannot read.
 */
export async function takeFromDisk(path: string, fileName: string, taker: DownloadTaker): Promise<string | null> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) return 'it is no file';
    if (stat.size > taker.bytesMax) return `it is larger than ${taker.bytesMax} bytes`;
    await taker.take({ fileName, size: stat.size, bytes: handle.createReadStream({ autoClose: false }) });
    return null;
  } finally {
    await handle.close();
    await rm(path, { force: true });
  }
}
