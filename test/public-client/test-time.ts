import type { ControlledClock } from '#lib/clock.ts';

/** Clock of a waiting client. The backend's clock advances by the time that the client sleeps. */
export interface TestTime {
  /** Returns the milliseconds that the client has slept so far. */
  elapsedMs(): number;
  /**
   * Advances the clock by `ms`, and runs the action that the test has planned for this sleep, if any. Resolves when the
   * action has ended.
   */
  sleep(ms: number): Promise<void>;
  /** Plans an action for the n-th sleep, counted from 1. */
  during(sleep: number, action: () => Promise<unknown>): void;
  /** Every sleep so far, in milliseconds. */
  readonly sleeps: readonly number[];
}

/** Creates a clock that advances only while the client sleeps. */
export function createTestTime(clock: ControlledClock): TestTime {
  const sleeps: number[] = [];
  const plan = new Map<number, () => Promise<unknown>>();
  return {
    sleeps,
    elapsedMs: () => sleeps.reduce((sum, ms) => sum + ms, 0),
    async sleep(ms) {
      sleeps.push(ms);
      clock.advance(ms);
      await plan.get(sleeps.length)?.();
    },
    during: (sleep, action) => void plan.set(sleep, action),
  };
}
