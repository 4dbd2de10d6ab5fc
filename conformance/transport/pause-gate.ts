/**
 * Gate that stops all requests of a run during a pause: the wait that a Retry-After demands, or a wait for a target
 * that accepts no connection.
 */
export interface PauseGate {
  /** Closes the gate until `wait` settles; rejects if `wait` rejects. */
  holdFor(wait: Promise<void>): Promise<void>;
  /** Waits until the gate is open. */
  pass(): Promise<void>;
}

/** Creates an open gate. */
export function createPauseGate(): PauseGate {
  const held = new Set<Promise<void>>();
  return {
    holdFor: async (wait) => {
      held.add(wait);
      try {
        await wait;
      } finally {
        held.delete(wait);
      }
    },
    pass: async () => {
      // The holder of a pause learns how it ends.
      while (held.size > 0) await Promise.allSettled(held);
    },
  };
}
