/** Counter of the tasks that an agent is running in this process. */
export interface RunningTasks {
  readonly count: number;
  /** Whether `finish` was called. Queued messages are then not dispatched any more. */
  readonly isFinishing: boolean;
  /** Aborted when `finish` is called. */
  readonly finishing: AbortSignal;
  /** Counts a task until the returned object is disposed of. */
  begin(): Disposable;
  /**
   * Prevents `finish` from resolving until the returned object is disposed of or the signal of `finish` aborts. Callers
   * call it before they dispatch a task, which counts only later. Returns null when `finish` has resolved: the process
   * is closing and would fail the task.
   */
  hold(): Disposable | null;
  /**
   * Waits until the turns of all earlier tasks of the session have ended, then begins a turn. The turn ends when the
   * returned object is disposed of. A session thus works on one task at a time, also while a cancelled task ends.
   */
  turn(sessionId: string): Promise<Disposable>;
  /** Settles when all turns of the session that were requested before have ended. */
  ended(sessionId: string): Promise<void>;
  /**
   * Accepts no further tasks. Resolves when no task is running or being dispatched, or when the signal aborts; never
   * rejects.
   */
  finish(signal: AbortSignal): Promise<void>;
}

/** Creates a counter without tasks. */
export function createRunningTasks(): RunningTasks {
  let count = 0;
  let held = 0;
  let isOver = false;
  const finishing = new AbortController();
  const none = Promise.withResolvers<void>();
  /** Promises that settle at the end of each session's latest turn. */
  const ends = new Map<string, Promise<void>>();
  const end = (): void => {
    isOver = true;
    none.resolve();
  };
  const look = (): void => {
    if (finishing.signal.aborted && count === 0 && held === 0) end();
  };
  return {
    get count() {
      return count;
    },
    get isFinishing() {
      return finishing.signal.aborted;
    },
    finishing: finishing.signal,
    begin() {
      count += 1;
      return {
        [Symbol.dispose]() {
          count -= 1;
          look();
        },
      };
    },
    hold() {
      if (isOver) return null;
      held += 1;
      return {
        [Symbol.dispose]() {
          held -= 1;
          look();
        },
      };
    },
    async turn(sessionId) {
      const before = ends.get(sessionId);
      const { promise: over, resolve } = Promise.withResolvers<void>();
      ends.set(sessionId, over);
      await before;
      return {
        [Symbol.dispose]() {
          if (ends.get(sessionId) === over) ends.delete(sessionId);
          resolve();
        },
      };
    },
    async ended(sessionId) {
      await ends.get(sessionId);
    },
    finish(signal) {
      finishing.abort();
      look();
      if (signal.aborted) end();
      signal.addEventListener('abort', end, { once: true });
      return none.promise;
    },
  };
}
