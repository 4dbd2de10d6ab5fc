/*
 * Who may start a browser now, who waits, and who is told to come again. Called by the local host. Must not know what a browser is.
 */

import { readFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { within } from './within.ts';

/** How many browsers start at once, and who waits. */
export interface AdmissionOptions {
  /** Starts at the same moment; at least 1. */
  readonly places: number;
  /** Length of the line from which on nobody joins it who has no time to wait. */
  readonly waitingMax: number;
  /** Whether the processors have more to do than they can: then one browser starts at a time. Never rejects. */
  readonly isPressed: () => Promise<boolean>;
}

/** Lets browsers start in the order of arrival, no more at once than the machine can serve. */
export interface Admission {
  /**
   * Does a piece of work when it is its turn. With `withinMs` it rejects with HostBusy at once when the line is full, and
   * later when its turn has not come by then; otherwise it waits as long as it takes.
   */
  run<T>(work: () => Promise<T>, withinMs?: number): Promise<T>;
  /** Starts that wait for their turn. */
  readonly waiting: number;
  /** Whether a start would be let in at once and the processors have time for it. */
  isIdle(): Promise<boolean>;
}

/**
 * Browsers start several times slower when more of them start at once than the processors can serve, so everybody waits
 * less when they start one after the other. Whoever cannot be served soon is told so instead of being kept.
 */
export function createAdmission({ places, waitingMax, isPressed }: AdmissionOptions): Admission {
  let running = 0;
  const line: (() => void)[] = [];
  const estimate = createWaitEstimate(places);

  /** Lets in whoever stands first, as far as there are places. One start is always allowed: without any, pressure would never be seen to fall. */
  const advance = async (): Promise<void> => {
    const open = (await isPressed()) ? 1 : places;
    while (running < open) {
      const next = line.shift();
      if (next === undefined) return;
      running += 1;
      next();
    }
  };
  const turn = async (withinMs: number | undefined): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    line.push(resolve);
    void advance();
    if (withinMs === undefined) return promise;
    try {
      await within(withinMs, promise, 'Its turn did not come in time.');
    } catch {
      // Only the time limit can reject here. Whoever was let in at this very moment goes on: the place is taken.
      const index = line.indexOf(resolve);
      if (index === -1) return;
      line.splice(index, 1);
      throw busy();
    }
  };
  const busy = (): HostBusy => new HostBusy(line.length, estimate.forLine(line.length));
  return {
    async run(work, withinMs) {
      if (withinMs !== undefined && line.length >= waitingMax) throw busy();
      await turn(withinMs);
      const stop = estimate.start();
      try {
        return await work();
      } finally {
        stop();
        running -= 1;
        void advance();
      }
    },
    get waiting() {
      return line.length;
    },
    isIdle: async () => running === 0 && line.length === 0 && !(await isPressed()),
  };
}

/** Guesses how long a line of starts takes from how long the latest ones took. */
export interface WaitEstimate {
  /** Notes that a start begins; the returned function notes its end. */
  start(): () => void;
  /** Milliseconds until a line of that length has been served, 1,000 to 60,000 included. */
  forLine(waiting: number): number;
}

/** Before anything was measured: a start on a machine with some load. */
const FIRST_GUESS_MS = 1_000;
/** How much the latest start counts against all before it. */
const WEIGHT = 0.25;
const [LEAST_MS, MOST_MS] = [1_000, 60_000];

/** An estimate for a host that starts `places` browsers at a time. */
export function createWaitEstimate(places: number, nowMs: () => number = () => performance.now()): WaitEstimate {
  let usualMs = FIRST_GUESS_MS;
  return {
    start() {
      const begun = nowMs();
      return () => {
        usualMs += WEIGHT * (nowMs() - begun - usualMs);
      };
    },
    forLine: (waiting) => Math.min(Math.max(((waiting + 1) / places) * usualMs, LEAST_MS), MOST_MS),
  };
}

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

/** A start was not admitted: too many others wait, or its turn did not come in time. Nothing was started. */
export class HostBusy extends Error {
  override readonly name = 'HostBusy';
  /** Starts that wait for their turn. */
  readonly waiting: number;
  /** How long those are expected to take, in milliseconds, at least 1,000. */
  readonly retryAfterMs: number;

  constructor(waiting: number, retryAfterMs: number) {
    super(`${waiting} browsers wait to be started: try again in ${Math.ceil(retryAfterMs / 1000)} s.`);
    this.waiting = waiting;
    this.retryAfterMs = retryAfterMs;
  }
}
