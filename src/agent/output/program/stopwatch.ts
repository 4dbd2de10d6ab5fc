/** Counts the time that some work computes, over all its parts. */
export interface Stopwatch {
  within<Result>(work: () => Result): Result;
  /** Whether the time is used up; also asked while work is done. */
  isOver(): boolean;
}

/** A stopwatch with a budget in ms that this thread may compute; waiting for a busy machine does not count. */
export function createStopwatch(budgetMs: number): Stopwatch {
  let used = 0;
  let since: number | null = null;
  return {
    within(work) {
      since = computedMs();
      try {
        return work();
      } finally {
        used += computedMs() - since;
        since = null;
      }
    },
    isOver: () => used + (since === null ? 0 : computedMs() - since) > budgetMs,
  };
}

function computedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
