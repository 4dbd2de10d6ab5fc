import { readFileSync } from 'node:fs';

/**
 * Returns the processor time that this thread has used, in milliseconds. Work that blocks the event loop increases it;
 * load of other processes does not.
 */
export function threadTimeMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Processor time in milliseconds that the thread may always use, even if the work is short. */
const alwaysAllowedMs = 500;

/**
 * Runs work that must not run on this thread. Throws if this thread has used more than 500 ms of processor time, and
 * more than half of the duration of the work. The thread may use some time to wait and poll. Time in which the thread
 * waits for a processor does not count.
 */
export async function besideThread<Result>(work: () => Promise<Result>): Promise<Result> {
  const [since, before] = [availableTimeMs(), threadTimeMs()];
  const result = await work();
  const [tookMs, spentMs] = [availableTimeMs() - since, threadTimeMs() - before];
  const allowedMs = Math.max(alwaysAllowedMs, tookMs / 2);
  if (spentMs <= allowedMs) return result;
  throw new Error(
    `the thread spent ${Math.round(spentMs)} of ${Math.round(tookMs)} ms on work, at most ${Math.round(allowedMs)} ms are allowed: run the work in another process`,
  );
}

/**
 * Returns a time in milliseconds that grows like real time. On Linux, excludes the time in which this thread waited for
 * a processor.
 */
function availableTimeMs(): number {
  if (process.platform !== 'linux') return performance.now();
  const [, waitedNs] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ');
  return performance.now() - Number(waitedNs) / 1_000_000;
}
