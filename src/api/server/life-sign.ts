import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';

/** Tells a later process how long an earlier one has lived. */
export interface LifeSign {
  /** For how long the process before this one cannot have served anybody, in milliseconds; infinite where nothing is known of one. */
  readonly outageMs: number;
  close(): void;
}

/** A kill is known to this exactness, and time is billed for it at most. */
const everyMs = 2_000;
/** A busy process gives its signs late, and serves meanwhile. */
const lateMs = 2_000;

/** Gives a sign of life at a file of a data folder every two seconds, which no backup takes along: its time of change says when the process lived last. */
export function giveLifeSigns(dataFolder: string, log: Pick<Logger, 'warn'>): LifeSign {
  const file = join(dataFolder, '.alive');
  const before = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  const outageMs =
    before === undefined ? Number.POSITIVE_INFINITY : Math.max(0, Date.now() - before - everyMs - lateMs);
  writeFileSync(file, '', { mode: 0o600 });
  const timer = setInterval(() => {
    const now = new Date();
    try {
      utimesSync(file, now, now);
    } catch (error) {
      log.warn({ err: error, file }, 'no sign of life could be given: after a kill less time is billed');
    }
  }, everyMs);
  timer.unref();
  return { outageMs, close: () => clearInterval(timer) };
}
