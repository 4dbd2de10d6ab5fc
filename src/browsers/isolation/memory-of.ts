import { readFile } from 'node:fs/promises';
import type { ProcessStatus } from './process-status.ts';

const BYTES_PER_KIB = 1024;

/**
 * The memory of a group of processes in bytes, what they share with others by their share of it. Where the kernel does not show
 * us that of another user's processes, only what no file stands behind is counted.
 */
export async function memoryOf(group: readonly ProcessStatus[]): Promise<number> {
  const shares = await Promise.all(group.map(async (process) => (await shareOf(process.pid)) ?? process.ownBytes));
  return shares.reduce((sum, bytes) => sum + bytes, 0);
}

async function shareOf(pid: number): Promise<number | null> {
  try {
    const found = /^Pss:\s*(\d+) kB$/m.exec(await readFile(`/proc/${pid}/smaps_rollup`, 'utf8'));
    return found === null ? null : Number(found[1]) * BYTES_PER_KIB;
  } catch {
    // Forbidden, ended meanwhile or not supported by this kernel: then the estimate of its status has to do.
    return null;
  }
}
