import type { ControlledClock } from './clock.ts';

interface Timer {
  readonly timeMs: number;
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

/**
 * The system's time, or one that runs at another speed from now on, plus an offset that only `advance` changes; without either it is the
 * system clock.
 */
export function createClock({ speed = 1 }: ClockOptions = {}): ControlledClock {
  const timers = new Set<Timer>();
  const startMs = Date.now();
  let offsetMs = 0;
  const now = (): number => Math.floor(startMs + (Date.now() - startMs) * speed) + offsetMs;

  const fire = (timer: Timer): void => {
    clearTimeout(timer.handle);
    if (timers.delete(timer)) timer.action();
  };
  const arm = (timer: Timer): void => {
    const waitMs = Math.min(Math.ceil(Math.max(timer.timeMs - now(), 0) / speed), longestTimeoutMs);
    timer.handle = setTimeout(() => (now() >= timer.timeMs ? fire(timer) : arm(timer)), waitMs);
  };

  return {
    now,
    at(timeMs, action) {
      const timer: Timer = { timeMs, action, handle: undefined };
      timers.add(timer);
      arm(timer);
      return () => {
        clearTimeout(timer.handle);
        timers.delete(timer);
      };
    },
    advance(ms) {
      offsetMs += ms;
      const due = [...timers].filter((timer) => timer.timeMs <= now()).toSorted((a, b) => a.timeMs - b.timeMs);
      for (const timer of due) fire(timer);
      for (const timer of timers) {
        clearTimeout(timer.handle);
        arm(timer);
      }
    },
  };
}
