import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type ChooseOptions, type ProbedChromium, probeChromium } from '../launch/chromium-account.ts';

const probed = new Map<string, Promise<ProbedChromium>>();

/**
 * Finds out once per process of tests what the machine makes of a Chromium, for hosts that are started for something else: it is a
 * fact of the machine and of whether other users reach the folder, and each probe starts a Chromium. What fails is tried again.
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

/** Whether other users can pass through a folder and all above it. */
function isReached(folder: string): boolean {
  const passes = ((statSync(folder, { throwIfNoEntry: false })?.mode ?? 0) & 0o001) !== 0;
  return passes && (folder === dirname(folder) || isReached(dirname(folder)));
}
