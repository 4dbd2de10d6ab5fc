/** Tells those who wait for mail that some has come, by session. In this process only: whoever waits lives in it. */
export interface Arrivals {
  /** Calls `action` at each arrival until the returned function is called. */
  watch(sessionId: string, action: () => void): () => void;
  tell(sessionId: string): void;
  /** How many watch; for tests. */
  readonly watchers: number;
}

/** Nobody waits yet. */
export function createArrivals(): Arrivals {
  const watchers = new Map<string, Set<() => void>>();
  return {
    watch(sessionId, action) {
      const own = watchers.get(sessionId) ?? new Set();
      watchers.set(sessionId, own.add(action));
      return () => {
        own.delete(action);
        if (own.size === 0 && watchers.get(sessionId) === own) watchers.delete(sessionId);
      };
    },
    tell: (sessionId) => watchers.get(sessionId)?.forEach((action) => action()),
    get watchers() {
      return [...watchers.values()].reduce((sum, own) => sum + own.size, 0);
    },
  };
}
