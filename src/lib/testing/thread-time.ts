import { readFileSync } from 'node:fs';

/**
 * Returns the processor time of this thread in milliseconds. Code that blocks the event loop increases it; other load
 * on the machine does not.
 */
export function threadTimeMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Processor time that is always allowed, however short the work is, in milliseconds. */
const ALWAYS_ALLOWED_MS = 500;

/**
 * Runs work that belongs in another process, and fails if this thread does it. The thread may use half of the work's
 * duration as processor time, and always 500 ms, because it only waits and polls. Time spent waiting for a processor
 * does not count.
 */
export async function besideThread<Result>(work: () => Promise<Result>): Promise<Result> {
  const [since, before] = [availableTimeMs(), threadTimeMs()];
  const result = await work();
  const [tookMs, spentMs] = [availableTimeMs() - since, threadTimeMs() - before];
  const allowedMs = Math.max(ALWAYS_ALLOWED_MS, tookMs / 2);
  if (spentMs <= allowedMs) return result;
  throw new Error(
    `the thread spent ${Math.round(spentMs)} of ${Math.round(tookMs)} ms on work, at most ${Math.round(allowedMs)} ms are allowed: run the work in another process`,
  );
}

/**
 * Returns a time in ms that grows like real time; on Linux without the time in which this thread was ready and had no
 * processor.
 */
function availableTimeMs(): number {
  if (process.platform !== 'linux') return performance.now();
  const [, waitedNs] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ');
  return performance.now() - Number(waitedNs) / 1_000_000;
}
