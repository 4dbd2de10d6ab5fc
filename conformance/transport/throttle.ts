import type { Throttle } from '../core/controls.ts';
import { setTimeout as wait } from 'node:timers/promises';

/** Limits of the rate and the concurrency of requests. */
export interface ThrottleOptions {
  /** Maximum number of requests per second; 0 = unlimited. */
  ratePerSecond: number;
  /** Maximum number of requests in flight; at least 1. */
  concurrency: number;
  /** Ends all waits for the rate limit. The tasks then start at once and detect the end of the run themselves. */
  signal?: AbortSignal;
}

/** Creates a throttle with its own queue. */
export function createThrottle(options: ThrottleOptions): Throttle {
  const waiting: (() => void)[] = [];
  let active = 0;
  let nextStart = 0;

  async function enter(place: 'first' | undefined): Promise<void> {
    if (active < options.concurrency) {
      active += 1;
      return;
    }
    // The finishing task hands its slot over, so `active` does not change.
    await new Promise<void>((resolve) => (place === 'first' ? waiting.unshift(resolve) : waiting.push(resolve)));
  }

  async function pace(): Promise<void> {
    if (options.ratePerSecond === 0 || options.signal?.aborted === true) return;
    const now = performance.now();
    const start = Math.max(now, nextStart);
    nextStart = start + 1000 / options.ratePerSecond;
    if (start > now) await waitUnlessEnded(start - now, options.signal);
  }

  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) active -= 1;
    else next();
  }

  return async (task, place) => {
    await enter(place);
    try {
      await pace();
      return await task();
    } finally {
      leave();
    }
  };
}

async function waitUnlessEnded(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await wait(ms, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    // An ended wait is no fault: the task that follows throws the reason.
    if (signal?.aborted !== true) throw error;
  }
}
