/** The service's time. Everything that depends on time asks it, so that a test can move it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Runs `action` once when the clock reaches `timeMs`; the returned function cancels it. */
  at(timeMs: number, action: () => void): () => void;
}

/** A clock whose system time can be moved; timers that become due run at once, earliest first. */
export interface ControlledClock extends Clock {
  /** Moves the system's time by `ms`. The clock itself never runs backwards: a negative number only slows it down until both agree. */
  advance(ms: number): void;
}

/** Waits by the clock; rejects with the signal's reason when it is aborted first. */
export function waitBy(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.at(clock.now() + ms, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
