import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Tells a later process how long an earlier one has lived. */
export interface LifeSign {
  /** For how long the process before this one cannot have served anybody, in milliseconds; 0 where there was none. */
  readonly outageMs: number;
  close(): void;
}

/** A kill is known to this exactness, and time is billed for it at most. */
const everyMs = 2_000;
/** A busy process gives its signs late, and serves meanwhile. */
const lateMs = 2_000;

/** Gives a sign of life at a file of a data folder every two seconds: its time of change says when the process lived last. */
export function giveLifeSigns(dataFolder: string): LifeSign {
  const file = join(dataFolder, 'alive');
  const before = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  const outageMs = before === undefined ? 0 : Math.max(0, Date.now() - before - everyMs - lateMs);
  writeFileSync(file, '');
  const timer = setInterval(() => {
    const now = new Date();
    utimesSync(file, now, now);
  }, everyMs);
  timer.unref();
  return { outageMs, close: () => clearInterval(timer) };
}
