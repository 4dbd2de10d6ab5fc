import type { Clock } from '#lib/clock.ts';

/** Counts what happens in windows of time that all begin at the same moments. */
export interface Windows {
  /** How often something has happened in the current window. */
  count(name: string): number;
  /** Counts it once more; answers how often it has happened now. */
  add(name: string): number;
  /** The number of the current window: it grows by one with each. */
  current(): number;
  /** Milliseconds until the next window begins: more than 0, at most one window. */
  restMs(): number;
}

/**
 * Windows of `lengthMs`, at least 1. A window takes its counts with it when it ends, so that names that anybody can make up, such
 * as addresses, are never kept longer.
 */
export function createWindows(clock: Pick<Clock, 'now'>, lengthMs: number): Windows {
  const counts = new Map<string, number>();
  let current = Number.NaN;
  const number = (): number => Math.floor(clock.now() / lengthMs);
  const turn = (): void => {
    const window = number();
    if (window !== current) counts.clear();
    current = window;
  };
  const count = (name: string): number => {
    turn();
    return counts.get(name) ?? 0;
  };
  return {
    count,
    add(name) {
      const next = count(name) + 1;
      counts.set(name, next);
      return next;
    },
    current: number,
    restMs: () => lengthMs - (clock.now() % lengthMs),
  };
}
