/** Runs pieces of work in order, each in an event-loop task of its own, so that promises settle between two of them. */
export function createTaskQueue(): (work: () => void) => void {
  const waiting: (() => void)[] = [];
  const runNext = (): void => {
    const work = waiting.shift();
    // Scheduled first, so that work that throws does not stop what comes after it.
    if (waiting.length > 0) setImmediate(runNext);
    work?.();
  };
  return (work) => {
    waiting.push(work);
    if (waiting.length === 1) setImmediate(runNext);
  };
}
