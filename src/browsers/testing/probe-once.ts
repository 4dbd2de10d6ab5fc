import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type ChooseOptions, type ProbedChromium, probeChromium } from '../launch/chromium-account.ts';

const probed = new Map<string, Promise<ProbedChromium>>();

/**
 * Probes a Chromium once per test process and returns the same result to later calls, because every probe starts a
 * Chromium. For tests that do not examine the probe itself. The cache distinguishes whether other users can enter the
 * folder. A failure is not cached.
 */
export async function probeOnce(options: ChooseOptions): Promise<ProbedChromium> {
  const key = `${options.binary.path} ${options.sharedMemoryOnDisk} ${isReached(dirname(options.directory))}`;
  const found = probed.get(key) ?? probeChromium(options);
  probed.set(key, found);
  try {
    return await found;
  } catch (error) {
    probed.delete(key);
    throw error;
  }
}

/** Returns whether other users can enter a folder and all its parent folders. */
function isReached(folder: string): boolean {
  const passes = ((statSync(folder, { throwIfNoEntry: false })?.mode ?? 0) & 0o001) !== 0;
  return passes && (folder === dirname(folder) || isReached(dirname(folder)));
}
