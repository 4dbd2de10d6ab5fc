import { readFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';

/** Percent of the last ten seconds in which some process waited for a processor; above it another browser would make all of them slower. */
export const defaultPressureMax = 80;
/** The same without the kernel's own measure: processes that wanted a processor, for each one there is. */
const LOAD_MAX = 4;

/**
 * Whether the processors have more to do than they can: whether the share is above `pressureMax` percent, never for 100. Without
 * Linux's pressure file the load average is asked. Never rejects.
 */
export async function isCpuPressed(
  pressureMax: number = defaultPressureMax,
  path = '/proc/pressure/cpu',
): Promise<boolean> {
  if (pressureMax >= 100) return false;
  const share = await waitingShare(path);
  return share === null ? (loadavg()[0] ?? 0) / availableParallelism() > LOAD_MAX : share > pressureMax;
}

/** Percent of the last ten seconds; null where the kernel does not say. */
async function waitingShare(path: string): Promise<number | null> {
  try {
    const found = /^some avg10=([\d.]+)/m.exec(await readFile(path, 'utf8'));
    return found === null ? null : Number(found[1]);
  } catch {
    // Missing, forbidden or not supported by this kernel: all mean that it does not say.
    return null;
  }
}
