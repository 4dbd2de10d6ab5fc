import { readFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';

/** Above this share of the last ten seconds some process waited for a processor: another browser would make all of them slower. */
const WAITING_SHARE_MAX = 80;
/** The same without the kernel's own measure: processes that wanted a processor, for each one there is. */
const LOAD_MAX = 4;

/** Whether the processors have more to do than they can. Without Linux's pressure file the load average is asked. Never rejects. */
export async function isCpuPressed(path = '/proc/pressure/cpu'): Promise<boolean> {
  const share = await waitingShare(path);
  return share === null ? (loadavg()[0] ?? 0) / availableParallelism() > LOAD_MAX : share > WAITING_SHARE_MAX;
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
