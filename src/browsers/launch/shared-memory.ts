import { statfs } from 'node:fs/promises';
import { isMissing } from '../isolation/process-table.ts';

/** Whether browsers must keep their shared memory in their temporary folder, because /dev/shm is small or missing. */
export async function needsSharedMemoryOnDisk(): Promise<boolean> {
  try {
    const { bsize, blocks } = await statfs('/dev/shm');
    return bsize * blocks < NEEDED_BYTES;
  } catch (error) {
    if (isMissing(error)) return true;
    throw error;
  }
}

/** Containers give /dev/shm 64 MiB by default, which one browser fills and then crashes. */
const NEEDED_BYTES = 512 * 1024 * 1024;
