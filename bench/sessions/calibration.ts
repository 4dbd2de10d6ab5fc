import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { getMedian } from '../../tools/measure/evidence.ts';

const rounds = 25;
const hashedBytes = 4 * 1024 * 1024;

/** Speed of the machine as median times in milliseconds, to compare results of different times or machines. */
export interface Calibration {
  /** Milliseconds for hashing 4 MiB with SHA-256. */
  readonly hashMs: number;
  /** Milliseconds for a durable write of 4 KiB to the disk of the measured folder. */
  readonly syncMs: number;
}

/** Measures the speed of the machine. The write goes to a file in the folder that the benchmark uses. */
export function calibrate(folder: string): Calibration {
  const bytes = Buffer.alloc(hashedBytes, 7);
  const handle = openSync(join(folder, 'calibration'), 'w');
  try {
    return {
      hashMs: medianTime(() => createHash('sha256').update(bytes).digest()),
      syncMs: medianTime(() => {
        writeSync(handle, bytes, 0, 4096, 0);
        fsyncSync(handle);
      }),
    };
  } finally {
    closeSync(handle);
  }
}

function medianTime(work: () => unknown): number {
  const times = Array.from({ length: rounds }, () => {
    const begun = performance.now();
    work();
    return performance.now() - begun;
  });
  return getMedian(times);
}
