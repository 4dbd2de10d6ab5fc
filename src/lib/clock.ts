/** The service's time. Everything that depends on time asks it, so that a test can move it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Runs `action` once when the clock reaches `timeMs`; the returned function cancels it. */
  at(timeMs: number, action: () => void): () => void;
}

/** A clock whose system time can be moved; timers that become due run at once, earliest first. */
export interface ControlledClock extends Clock {
  /** Moves the system's time by `ms`. The clock itself never runs backwards: a negative number only slows it down until both agree. */
  advance(ms: number): void;
}

/** Waits by the clock; rejects with the signal's reason when it is aborted first. */
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
  /** When it fires at the latest, of `performance.now()`: a clock that is slowed down does not hold it up. */
  dueMs: number;
  readonly action: () => void;
  handle: NodeJS.Timeout | undefined;
}

// setTimeout takes at most 2^31 - 1 ms; a longer wait is armed again when it ends.
const longestTimeoutMs = 2_147_483_647;

/** How a clock runs. */
interface ClockOptions {
  /** How many times as fast as the system's time, more than 0. @defaultValue 1 */
  readonly speed?: number;
}

/** How fast a clock runs that is ahead of the system's time, as a share of its pace. */
const slewShare = 0.5;

/**
 * The system's time, or one that runs at another speed from now on, plus an offset that only `advance` changes. It never runs backwards:
 * where the system's time is set back, it goes on from where it was at half the pace until both agree, so that no duration is negative
 * and no amount falls. Timers keep their waits meanwhile.
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
    // A clock that is ahead runs slowly: the wait is over all the same. Else the timer came a moment early.
    if (now() >= timer.timeMs || nowMs > seenMs) return fire(timer);
    timer.dueMs = performance.now() + (timer.timeMs - now()) / speed;
    wait(timer);
  };
  /** Waits until its time by the clock as it is now, and never for longer than it was to wait before. */
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
