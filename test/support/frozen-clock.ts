import type { ControlledClock } from '#lib/clock.ts';

interface Timer {
  readonly timeMs: number;
  readonly action: () => void;
}

/** Creates a clock that advances only when the test calls `advance`, so that requests can arrive at the same time. */
export function createFrozenClock(startMs: number): ControlledClock {
  const timers = new Set<Timer>();
  let nowMs = startMs;
  return {
    now: () => nowMs,
    at(timeMs, action) {
      const timer = { timeMs, action };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(ms) {
      nowMs += ms;
      const due = [...timers].filter(({ timeMs }) => timeMs <= nowMs).toSorted((a, b) => a.timeMs - b.timeMs);
      for (const timer of due) if (timers.delete(timer)) timer.action();
    },
  };
}
