/** The tasks that an agent works on at this moment. */
export interface TasksUnderWay {
  readonly count: number;
  /** Whether they are the last: no message that waits is taken any more. */
  readonly isFinishing: boolean;
  /** Counts a task until what it returns is disposed of. */
  begin(): Disposable;
  /** From now on they are the last. Settles as soon as there are none, or when the signal is aborted; never rejects. */
  finish(signal: AbortSignal): Promise<void>;
}

/** None yet. */
export function createTasksUnderWay(): TasksUnderWay {
  let count = 0;
  let isFinishing = false;
  const none = Promise.withResolvers<void>();
  const look = (): void => {
    if (isFinishing && count === 0) none.resolve();
  };
  return {
    get count() {
      return count;
    },
    get isFinishing() {
      return isFinishing;
    },
    begin() {
      count += 1;
      return {
        [Symbol.dispose]() {
          count -= 1;
          look();
        },
      };
    },
    finish(signal) {
      isFinishing = true;
      look();
      if (signal.aborted) none.resolve();
      signal.addEventListener('abort', () => none.resolve(), { once: true });
      return none.promise;
    },
  };
}
