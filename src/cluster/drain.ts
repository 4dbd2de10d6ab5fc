import type { Route } from '#contract/http-messages.ts';
import { type Problem, problem } from '#contract/problems.ts';

/** The end of a service, while it is under way. */
export interface Drain {
  readonly isUnderWay: boolean;
  /** Refuses new work from now on, and settles when `finished` does or, at the latest, after that time. Never rejects. */
  begin(withinMs: number, finished: (signal: AbortSignal) => Promise<void>): Promise<void>;
  /** The refusal of a request that would start something while the service ends; null for every other. */
  refusalOf(route: Route): Problem | null;
}

/** A service that does not end yet. `now` is the system's time in milliseconds: the end of a process is no matter of a test's clock. */
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
    refusalOf(route) {
      if (endsAt === null || !isNewWork(route)) return null;
      const seconds = Math.max(Math.ceil((endsAt - now()) / 1_000), 1);
      return problem('shutting_down', { seconds: String(seconds) });
    },
  };
}

/** What starts a task or a browser, by generation. Everything else is answered to the end: polls, stops, files. */
const starting: Readonly<Record<Route['version'], readonly string[]>> = {
  v2: ['createSession', 'createTask'],
  v3: ['createSession'],
  v4: ['createRun', 'createMessage', 'createBrowser'],
};

/** Whether an operation starts something that outlives its request. */
export function isNewWork({ version, id }: Pick<Route, 'version' | 'id'>): boolean {
  return starting[version].includes(id);
}
