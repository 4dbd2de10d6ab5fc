/** The clock of the service. All time-dependent code uses it, so that tests can control the time. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Runs `action` once when the clock reaches `timeMs`; the returned function cancels it. */
  at(timeMs: number, action: () => void): () => void;
}

/** A clock whose time a caller can move. `advance` fires all timers that thereby become due, earliest first. */
export interface ControlledClock extends Clock {
  /**
   * Acts as if the system time were moved by `ms`. The clock never runs backwards: after a negative value the clock
   * runs at half speed until the system time has caught up.
   */
  advance(ms: number): void;
}

/** Waits `ms` milliseconds of the clock; rejects with the signal's reason if the signal aborts first. */
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
  /** Latest time to fire, by `performance.now()`: a slowed clock does not delay the timer. */
  dueMs: number;
  readonly action: () => void;
  handle: NodeJS.Timeout | undefined;
}

// setTimeout is limited to 2^31 - 1 ms; a longer wait is armed again when it ends.
const longestTimeoutMs = 2_147_483_647;

/** Options of a clock. */
interface ClockOptions {
  /** Speed relative to the system's time, more than 0. @defaultValue 1 */
  readonly speed?: number;
}

/** Relative speed of a clock that is ahead of the system's time. */
const slewShare = 0.5;

/**
 * Creates a clock that follows the system's time at a configurable speed, plus an offset that only `advance` changes.
 * It never runs backwards: after the system time is set back, the clock runs at half speed until both agree. Durations
 * therefore stay positive. Setting the system time back does not lengthen the wait of a timer.
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
  /** Arms a timer for its time by the current clock, never for longer than its original wait. */
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
