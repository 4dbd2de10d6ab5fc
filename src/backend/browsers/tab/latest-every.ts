/** Receives values and passes on some of them. */
export interface LatestEvery<T> {
  push(value: T): void;
  /** Drops a value that still waits. */
  cancel(): void;
}

/**
 * Passes values on at most once per interval: the first at once, later ones as the latest of each interval. The last
 * value is never lost, so what is shown in the end is what there is.
 */
export function latestEvery<T>(intervalMs: number, deliver: (value: T) => void): LatestEvery<T> {
  let waiting: { readonly value: T } | null = null;
  let timer: NodeJS.Timeout | null = null;
  const tick = (): void => {
    timer = null;
    if (waiting === null) return;
    const { value } = waiting;
    waiting = null;
    timer = setTimeout(tick, intervalMs);
    deliver(value);
  };
  return {
    push(value) {
      waiting = { value };
      if (timer === null) tick();
    },
    cancel() {
      waiting = null;
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}
