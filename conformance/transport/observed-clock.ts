import type { Send } from '../core/request.ts';
import type { Recorder } from '../core/recorder.ts';

/** Clock of one scenario or check. It shows the arrival time of the last observed response. */
export interface ObservedClock {
  nowMs: () => number;
  /** Records the time of an observation, in ms since the run began. */
  note(atMs: number): void;
  /**
   * Wraps `wait` so that each wait advances the clock by its duration, at least 1 ms. A loop without responses thus
   * reaches its deadline.
   */
  paused(wait: (ms: number) => Promise<void>): (ms: number) => Promise<void>;
  /** Wraps `send` so that every response advances the clock. */
  through(send: Send): Send;
}

/**
 * Creates a clock that shows the time of the run's last response. As soon as the caller has observed a response or has
 * waited itself, the clock shows the caller's own time. The time of a response replaces the durations of earlier waits:
 * a timer may end up to 1 ms early, and a recording contains only the times of responses.
 */
export function createObservedClock(recorder: Pick<Recorder, 'all'>): ObservedClock {
  let lastMs: number | undefined;
  let observedMs = 0;
  const note = (atMs: number): void => {
    observedMs = Math.max(observedMs, atMs);
    lastMs = observedMs;
  };
  const nowMs = (): number => {
    const last = recorder.all().at(-1);
    return lastMs ?? (last === undefined ? 0 : last.atMs + last.durationMs);
  };
  return {
    nowMs,
    note,
    paused: (wait) => async (ms) => {
      // Counted from the beginning of the wait, because several waits may overlap.
      const end = nowMs() + Math.max(1, ms);
      await wait(ms);
      lastMs = Math.max(lastMs ?? 0, end);
    },
    through: (send) => async (spec) => {
      const exchange = await send(spec);
      note(exchange.atMs + exchange.durationMs);
      return exchange;
    },
  };
}
