/*
 * Admission of browser starts: how many run at once, which wait, and which are rejected. Called by the local host. It
 * must not know what a browser is.
 */

import { readFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';

/** Limits of browser starts. */
export interface AdmissionOptions {
  /** Maximum number of concurrent starts; at least 1. */
  readonly places: number;
  /**
   * Maximum number of browser starts in the queue. When the queue is full, a further start with a deadline is rejected.
   */
  readonly waitingMax: number;
  /** Returns whether the processors are overloaded. If so, browsers start one at a time. Never rejects. */
  readonly isPressed: () => Promise<boolean>;
}

/** Limits of the time that a start waits in the queue. */
export interface WaitLimits {
  /** Maximum time in the queue, in milliseconds. After it, the start fails with HostBusy. @defaultValue no limit */
  readonly startsWithinMs?: number | undefined;
  /** When this signal aborts, the start leaves the queue. @defaultValue the start stays in the queue */
  readonly signal?: AbortSignal | undefined;
}

/** Queue of browser starts, which run in order of arrival and with limited concurrency. */
export interface Admission {
  /**
   * Runs `work`, which starts a browser, when the queue admits it. Returns the result of `work`. With `startsWithinMs`,
   * rejects with HostBusy when the queue is full or this time passes in the queue. When `signal` aborts while `work`
   * waits, rejects with the reason of the signal.
   */
  run<T>(work: () => Promise<T>, limits?: WaitLimits): Promise<T>;
  /** Number of browser starts in the queue. */
  readonly waiting: number;
  /** Returns true when no start runs, no start waits and the processors are not overloaded. */
  isIdle(): Promise<boolean>;
}

/**
 * Creates a queue of browser starts, of which at most `places` run at the same time. More concurrent starts would slow
 * down every start. Only a start with a deadline is rejected with HostBusy: when the queue is full or the deadline
 * passes.
 */
export function createAdmission({ places, waitingMax, isPressed }: AdmissionOptions): Admission {
  let running = 0;
  const line: (() => void)[] = [];
  const estimate = createWaitEstimate(places);

  /**
   * Starts waiting work while slots are free. Overloaded processors leave one slot, not zero: the load is checked only
   * when a start arrives or ends. With zero slots, the queue could therefore stop forever.
   */
  const advance = async (): Promise<void> => {
    const open = (await isPressed()) ? 1 : places;
    while (running < open) {
      const next = line.shift();
      if (next === undefined) return;
      running += 1;
      next();
    }
  };
  const turn = async ({ startsWithinMs, signal }: WaitLimits): Promise<void> => {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (why: () => unknown): void => {
      // A start that was admitted just before is not in the queue any more, and continues.
      const index = line.indexOf(resolve);
      if (index === -1) return;
      line.splice(index, 1);
      reject(why());
    };
    const onAbort = (): void => leave(() => signal?.reason);
    line.push(resolve);
    void advance();
    const timer = startsWithinMs === undefined ? undefined : setTimeout(() => leave(busy), startsWithinMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    }
  };
  const busy = (): HostBusy => new HostBusy(line.length, estimate.forLine(line.length));
  return {
    async run(work, limits = {}) {
      if (limits.startsWithinMs !== undefined && line.length >= waitingMax) throw busy();
      await turn(limits);
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

/**
 * Estimates how long a new browser start takes, including its time in the queue, from the durations of recent starts.
 */
export interface WaitEstimate {
  /** Begins to measure a browser start; the returned function ends the measurement. */
  start(): () => void;
  /**
   * Estimates the time in milliseconds until a new browser start is done, with `waiting` starts before it in the queue.
   * The result is 1,000 to 60,000.
   */
  forLine(waiting: number): number;
}

/** Assumed duration of a browser start before the first measurement, on a moderately loaded machine. */
const firstGuessMs = 1_000;
/** Weight of the latest start in the moving average. */
const weight = 0.25;
const [leastMs, mostMs] = [1_000, 60_000];

/** Creates an estimate for a host that performs at most `places` browser starts at the same time. */
export function createWaitEstimate(places: number, nowMs: () => number = () => performance.now()): WaitEstimate {
  let usualMs = firstGuessMs;
  return {
    start() {
      const begun = nowMs();
      return () => {
        usualMs += weight * (nowMs() - begun - usualMs);
      };
    },
    forLine: (waiting) => Math.min(Math.max(((waiting + 1) / places) * usualMs, leastMs), mostMs),
  };
}

/**
 * Maximum CPU pressure in percent: the share of the last ten seconds in which at least one process waited for a
 * processor. Above this value, starting another browser slows down all running browsers.
 */
export const defaultPressureMax = 80;
/** Load average per processor above which the machine counts as overloaded, where the kernel has no pressure file. */
const loadMax = 4;

/**
 * Returns whether the processors are overloaded: pressure above `pressureMax` percent. Always false for a
 * `pressureMax` of 100 or more. Without Linux's pressure file it uses the load average. Never rejects.
 */
export async function isCpuPressed(
  pressureMax: number = defaultPressureMax,
  path = '/proc/pressure/cpu',
): Promise<boolean> {
  if (pressureMax >= 100) return false;
  const share = await waitingShare(path);
  return share === null ? (loadavg()[0] ?? 0) / availableParallelism() > loadMax : share > pressureMax;
}

/** Returns the pressure of the last ten seconds in percent; null where the kernel does not report it. */
async function waitingShare(path: string): Promise<number | null> {
  try {
    const found = /^some avg10=([\d.]+)/m.exec(await readFile(path, 'utf8'));
    return found === null ? null : Number(found[1]);
  } catch {
    // The file is missing, forbidden or not supported by this kernel.
    return null;
  }
}

/**
 * Error of a browser start that is not admitted: the queue is full, or the deadline has passed. No browser was started.
 */
export class HostBusy extends Error {
  override readonly name = 'HostBusy';
  /** Number of browser starts in the queue. */
  readonly waiting: number;
  /** Estimated time until a new browser start would be done, in milliseconds: 1,000 to 60,000. */
  readonly retryAfterMs: number;

  constructor(waiting: number, retryAfterMs: number) {
    super(`${waiting} browsers wait to be started: try again in ${Math.ceil(retryAfterMs / 1000)} s.`);
    this.waiting = waiting;
    this.retryAfterMs = retryAfterMs;
  }
}
