import type { Route } from '#contract/http-messages.ts';
import { type Problem, problem } from '#contract/problems.ts';

/** Shutdown state of a service. */
export interface Drain {
  readonly isUnderWay: boolean;
  /**
   * Rejects new work from now on, and calls `finished` with a signal that aborts after `withinMs`. Settles in the same
   * way as the promise of `finished`.
   */
  begin(withinMs: number, finished: (signal: AbortSignal) => Promise<void>): Promise<void>;
  /** Returns the refusal of a request that would start new work during shutdown; null for any other request. */
  findRefusal(route: Route): Problem | null;
}

/**
 * Creates the shutdown state of a running service. `now` returns the system time in milliseconds, because a test clock
 * must not affect process shutdown.
 */
export function createDrain(now: () => number): Drain {
  let endsAt: number | null = null;
  return {
    get isUnderWay() {
      return endsAt !== null;
    },
    async begin(withinMs, finished) {
      endsAt = now() + withinMs;
      const latest = AbortSignal.timeout(withinMs);
      await finished(latest);
    },
    findRefusal(route) {
      if (endsAt === null || !isNewWork(route)) return null;
      const seconds = Math.max(Math.ceil((endsAt - now()) / 1_000), 1);
      return problem('shutting_down', { seconds: String(seconds) });
    },
  };
}

/**
 * Operations that start a task or a browser, by API version. All other operations, such as polls, stops and file
 * requests, are served until the process ends.
 */
const starting: Readonly<Record<Route['version'], readonly string[]>> = {
  v2: ['createSession', 'createTask'],
  v3: ['createSession'],
  v4: ['createRun', 'createMessage', 'createBrowser'],
};

/** Returns whether an operation starts a task or a browser, according to {@link starting}. */
export function isNewWork({ version, id }: Pick<Route, 'version' | 'id'>): boolean {
  return starting[version].includes(id);
}
