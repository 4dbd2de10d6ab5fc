/** Keeps everybody from sending while a target asks for patience. */
export interface PauseGate {
  /** Closes the gate until a wait is over; rejects as the wait does. */
  holdFor(wait: Promise<void>): Promise<void>;
  /** Waits until the gate is open. */
  pass(): Promise<void>;
}

/** An open gate. */
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
      // How a wait ends is told to whoever holds it.
      while (held.size > 0) await Promise.allSettled(held);
    },
  };
}
