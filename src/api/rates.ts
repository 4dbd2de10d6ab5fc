/*
 * Rate limits for each project and each client address. The pipeline checks them after authentication and before
 * reading the body. Counters are in memory, or shared between processes, and follow the service's clock.
 */

import type { ActiveMax } from '#accounts/balance.ts';
import type { Route } from '#contract/http-messages.ts';
import { problem } from '#contract/problems.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import { addressGroup } from '#lib/http.ts';
import type { Clock } from '#lib/clock.ts';
import type { RequestContext } from '#operations/common/request-context.ts';
import { type RoutedRequest, type CountRequest, type RateResult, unlimited } from './http/hooks.ts';

/** Dependencies of rate limiting. */
export interface RateDeps {
  /** Default limit of requests per second for a project or client address, at least 1; null for no limit. */
  readonly perSecond: number | null;
  /**
   * Returns the maximum number of active sandboxes of a project. The more sandboxes a project may have, the higher is
   * the limit for its polls.
   */
  readonly activeMax: Pick<ActiveMax, 'known'>;
  readonly clock: Pick<Clock, 'now'>;
  /**
   * Counts a request in a window and returns the count over all processes.
   * @defaultValue counts only the requests of this process
   */
  readonly countTogether?: (name: string, window: number) => Promise<number>;
  readonly rules: RuleBook;
}

const secondMs = 1000;

/** V4 operations that clients poll; they have a counter of their own, with a higher limit (companion 10 M18). */
const polls: ReadonlySet<string> = new Set(['getRunStatus', 'getSession', 'getBrowser']);

/** A counter of requests: its name, and its limit per second. */
interface Bucket {
  readonly name: string;
  /** Whether all processes share the counter. Requests without a valid key are counted in each process separately. */
  readonly isShared: boolean;
  readonly perSecond: number;
}

/**
 * Creates the function that counts requests in windows of `requestRateWindow` and refuses requests over the limit
 * (companion 10 M18). Requests count for their project; V4 polls of a project count separately. Requests without a
 * valid key or operation count for their client address. From an address over its limit, only keys that this process
 * has accepted before are accepted, so that the address cannot guess keys.
 */
export function createRequestRates({
  perSecond,
  activeMax,
  clock,
  countTogether,
  rules,
}: RateDeps): CountRequest<RequestContext> {
  const windowMs = getLimit(rules, 'requestRateWindow');
  const windows = createWindows(clock, windowMs);
  const pauseSeconds = Math.ceil(getLimit(rules, 'requestRatePause') / secondMs);
  const bucketSize = (bucket: Bucket): number => (bucket.perSecond * windowMs) / secondMs;
  const usedKeys = new Set<string>();

  const selectBucket = ({ request, route, caller }: RoutedRequest<RequestContext>): Bucket | null => {
    const stranger =
      perSecond === null ? null : { name: `address ${addressGroup(request.address)}`, isShared: false, perSecond };
    if (route === null || caller === null) return stranger;
    const isNew = !usedKeys.has(caller.keyId);
    if (stranger !== null && isNew && windows.count(stranger.name) >= bucketSize(stranger)) return stranger;
    usedKeys.add(caller.keyId);
    const rate = caller.limits.requestsPerSecond ?? perSecond;
    return rate === null ? null : getProjectBucket(caller, route, rate);
  };
  const getProjectBucket = ({ scope, limits }: RequestContext, { version, id }: Route, rate: number): Bucket => {
    if (version !== 'v4' || !polls.has(id))
      return { name: `project ${scope.projectId}`, isShared: true, perSecond: rate };
    const forPolls = getLimit(rules, 'pollsPerSession') * (limits.sessionsMax ?? activeMax.known(scope.projectId));
    return { name: `polls ${scope.projectId}`, isShared: true, perSecond: Math.max(rate, forPolls) };
  };

  const pacedBy = (bucket: Bucket, count: number): RateResult => {
    const size = bucketSize(bucket);
    const refused = { limit: String(bucket.perSecond), seconds: String(pauseSeconds) };
    return {
      headers: {
        'X-RateLimit-Limit': String(size),
        'X-RateLimit-Remaining': String(Math.max(0, size - count)),
        'X-RateLimit-Reset': String(Math.ceil(windows.restMs() / secondMs)),
      },
      refusal: count > size ? problem('rate_limited', refused) : null,
    };
  };

  return (asked) => {
    const bucket = selectBucket(asked);
    if (bucket === null) return unlimited;
    if (countTogether === undefined || !bucket.isShared) return pacedBy(bucket, windows.add(bucket.name));
    return countTogether(bucket.name, windows.current()).then((count) => pacedBy(bucket, count));
  };
}

/** Counters by name in consecutive time windows, which begin at the same moments for all names. */
export interface Windows {
  /** Returns the count of a name in the current window. */
  count(name: string): number;
  /** Increments the count of a name and returns it. */
  add(name: string): number;
  /** Returns the number of the current window, which increases by one with each window. */
  current(): number;
  /** Returns the milliseconds until the next window: more than 0, at most one window. */
  restMs(): number;
}

/**
 * Creates counters in time windows of `lengthMs` milliseconds, at least 1. The end of a window removes its counts, so
 * that names that clients choose, such as addresses, do not accumulate.
 */
export function createWindows(clock: Pick<Clock, 'now'>, lengthMs: number): Windows {
  const counts = new Map<string, number>();
  let current = Number.NaN;
  const number = (): number => Math.floor(clock.now() / lengthMs);
  const turn = (): void => {
    const window = number();
    if (window !== current) counts.clear();
    current = window;
  };
  const count = (name: string): number => {
    turn();
    return counts.get(name) ?? 0;
  };
  return {
    count,
    add(name) {
      const next = count(name) + 1;
      counts.set(name, next);
      return next;
    },
    current: number,
    restMs: () => lengthMs - (clock.now() % lengthMs),
  };
}
