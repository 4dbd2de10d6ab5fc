/*
 * Rate limits per project. The pipeline checks them after authentication and before reading the body. Counters are in
 * memory, or shared between processes, and follow the service's clock.
 */

import type { ActiveMax } from '#accounts/balance.ts';
import type { Route } from '#contract/http-messages.ts';
import { problem } from '#contract/problems.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import { addressGroup } from '#lib/address-group.ts';
import type { Clock } from '#lib/clock.ts';
import type { Caller } from '#operations/common/caller.ts';
import { type Asked, type Pace, type Paced, unpaced } from './http/hooks.ts';

/** What the rates of one service are made of. */
export interface RateDeps {
  /** Requests that a project without a rate of its own, or an address, may send per second, at least 1; null for any number. */
  readonly perSecond: number | null;
  /** Sandboxes of one project without a limit of its own that may live at the same time: each may be asked for more often. */
  readonly activeMax: Pick<ActiveMax, 'known'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Counts requests of a project in a window together with all other processes. @defaultValue a single process */
  readonly countTogether?: (name: string, window: number) => Promise<number>;
  readonly rules: RuleBook;
}

const secondMs = 1000;

/** What a client asks again and again while it waits, and may ask more often (companion 10 M18). */
const polls: ReadonlySet<string> = new Set(['getRunStatus', 'getSession', 'getBrowser']);

/** What is counted: whose requests, and how many of them a second. */
interface Bucket {
  readonly name: string;
  /** Whether other processes count it too; what has no key is counted by each for itself. */
  readonly isShared: boolean;
  readonly perSecond: number;
}

/**
 * Counts requests in windows of five seconds (companion 10 M18). Polls of a project count separately. Requests without
 * a valid key or operation count by address. An address over its limit learns nothing more about keys: only a key that
 * it used before is accepted.
 */
export function createRequestRates({ perSecond, activeMax, clock, countTogether, rules }: RateDeps): Pace<Caller> {
  const windowMs = getLimit(rules, 'requestRateWindow');
  const windows = createWindows(clock, windowMs);
  const pauseSeconds = Math.ceil(getLimit(rules, 'requestRatePause') / secondMs);
  const sizeOf = (bucket: Bucket): number => (bucket.perSecond * windowMs) / secondMs;
  const usedKeys = new Set<string>();

  const bucketOf = ({ request, route, caller }: Asked<Caller>): Bucket | null => {
    const stranger =
      perSecond === null ? null : { name: `address ${addressGroup(request.address)}`, isShared: false, perSecond };
    if (route === null || caller === null) return stranger;
    const isNew = !usedKeys.has(caller.keyId);
    if (stranger !== null && isNew && windows.count(stranger.name) >= sizeOf(stranger)) return stranger;
    usedKeys.add(caller.keyId);
    const rate = caller.limits.requestsPerSecond ?? perSecond;
    return rate === null ? null : bucketOfProject(caller, route, rate);
  };
  const bucketOfProject = ({ scope, limits }: Caller, { version, id }: Route, rate: number): Bucket => {
    if (version !== 'v4' || !polls.has(id))
      return { name: `project ${scope.projectId}`, isShared: true, perSecond: rate };
    const forPolls = getLimit(rules, 'pollsPerSession') * (limits.sessionsMax ?? activeMax.known(scope.projectId));
    return { name: `polls ${scope.projectId}`, isShared: true, perSecond: Math.max(rate, forPolls) };
  };

  const pacedBy = (bucket: Bucket, count: number): Paced => {
    const size = sizeOf(bucket);
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
    const bucket = bucketOf(asked);
    if (bucket === null) return unpaced;
    if (countTogether === undefined || !bucket.isShared) return pacedBy(bucket, windows.add(bucket.name));
    return countTogether(bucket.name, windows.current()).then((count) => pacedBy(bucket, count));
  };
}

/** Counts what happens in windows of time that all begin at the same moments. */
export interface Windows {
  /** How often something has happened in the current window. */
  count(name: string): number;
  /** Counts it once more; answers how often it has happened now. */
  add(name: string): number;
  /** The number of the current window: it grows by one with each. */
  current(): number;
  /** Milliseconds until the next window begins: more than 0, at most one window. */
  restMs(): number;
}

/**
 * Windows of `lengthMs`, at least 1. A window takes its counts with it when it ends, so that names that anybody can make up, such
 * as addresses, are never kept longer.
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
