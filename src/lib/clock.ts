/** Clock of the service. All code that depends on time uses it, so that tests can control the time. */
export interface Clock {
  /** Returns the time of the clock in milliseconds since the Unix epoch. */
  now(): number;
  /** Calls `action` once when the clock reaches `timeMs`. The returned function cancels the call. */
  at(timeMs: number, action: () => void): () => void;
}

/** A clock whose time can be moved. `advance` runs the timers that become due, earliest first. */
export interface ControlledClock extends Clock {
  /**
   * Moves the clock by `ms`, as if the system time had changed. The clock never runs backwards: after a negative `ms`
   * it runs at half speed until the system time has caught up.
   */
  advance(ms: number): void;
}

/**
 * Waits until the clock has advanced by `ms` milliseconds. Rejects with the signal's reason if the signal aborts
 * before.
 */
export function waitBy(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.at(clock.now() + ms, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

interface Timer {
  readonly timeMs: number;
  /** Latest time in `performance.now()` at which the timer fires, even if the clock runs slowly. */
  dueMs: number;
  readonly action: () => void;
  handle: NodeJS.Timeout | undefined;
}

// setTimeout is limited to 2^31 - 1 ms; a longer wait is armed again when it ends.
const longestTimeoutMs = 2_147_483_647;

/** Options of a clock. */
interface ClockOptions {
  /** Speed of the clock relative to the system time; greater than 0. @defaultValue 1 */
  readonly speed?: number;
}

/** Relative speed of a clock that is ahead of the system time and waits for it to catch up. */
const slewShare = 0.5;

/**
 * Creates a clock that follows the system time at a configurable speed; `advance` adds an offset. The clock never runs
 * backwards. After the system time is set back, the clock runs at half speed until both agree. Durations therefore stay
 * positive, and setting the system time back delays no timer.
 */
export function createClock({ speed = 1 }: ClockOptions = {}): ControlledClock {
  const timers = new Set<Timer>();
  const startMs = Date.now();
  let offsetMs = 0;
  const system = (): number => startMs + (Date.now() - startMs) * speed + offsetMs;
  let seenMs = system();
  let nowMs = seenMs;
  const now = (): number => {
    const systemMs = system();
    nowMs = Math.max(systemMs, nowMs + Math.max(systemMs - seenMs, 0) * slewShare);
    seenMs = systemMs;
    return Math.floor(nowMs);
  };

  const fire = (timer: Timer): void => {
    clearTimeout(timer.handle);
    if (timers.delete(timer)) timer.action();
  };
  const wait = (timer: Timer): void => {
    const waitMs = Math.min(Math.ceil(Math.max(timer.dueMs - performance.now(), 0)), longestTimeoutMs);
    timer.handle = setTimeout(() => look(timer), waitMs);
  };
  const look = (timer: Timer): void => {
    if (performance.now() < timer.dueMs) return wait(timer);
    // A clock ahead of the system time runs slowly, but the wait of the timer is over, so the timer fires. Otherwise
    // setTimeout fired a moment early.
    if (now() >= timer.timeMs || nowMs > seenMs) return fire(timer);
    timer.dueMs = performance.now() + (timer.timeMs - now()) / speed;
    wait(timer);
  };
  /**
   * Starts the wait of a timer, or adapts it after a change of the clock. The wait never becomes longer than before.
   */
  const arm = (timer: Timer): void => {
    clearTimeout(timer.handle);
    timer.dueMs = Math.min(timer.dueMs, performance.now() + Math.max(timer.timeMs - now(), 0) / speed);
    wait(timer);
  };

  return {
    now,
    at(timeMs, action) {
      const timer: Timer = { timeMs, dueMs: Number.POSITIVE_INFINITY, action, handle: undefined };
      timers.add(timer);
      arm(timer);
      return () => {
        clearTimeout(timer.handle);
        timers.delete(timer);
      };
    },
    advance(ms) {
      now();
      offsetMs += ms;
      seenMs += ms;
      nowMs += Math.max(ms, 0);
      const due = [...timers].filter((timer) => timer.timeMs <= now()).toSorted((a, b) => a.timeMs - b.timeMs);
      for (const timer of due) fire(timer);
      for (const timer of timers) arm(timer);
    },
  };
}
