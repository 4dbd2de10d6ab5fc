import type { RequestSpec } from '../core/request.ts';
import type { Exchange } from '../core/exchange.ts';

/** Decision about a 429 answer. */
export type RetryDecision =
  /** The answer is taken as it is; where it names a time, nothing is sent until then. */
  | { does: 'keep'; holdMs: number }
  /** The request is sent again. `everybody`: nothing else is sent meanwhile. */
  | { does: 'resend'; waitMs: number; everybody: boolean }
  | { does: 'giveUp'; reason: string };

/** Input of the retry policy: recorded answers and the seed, so that a recording leads to the same decisions. */
export interface RetryInput {
  exchange: Pick<Exchange, 'status' | 'headers' | 'operation'>;
  spec: Pick<RequestSpec, 'method' | 'overload' | 'invalid' | 'creates'>;
  /** Whether the key of the request is one that has to be refused. @defaultValue false */
  hasWrongKey?: boolean;
  /** Number of earlier attempts of the request. */
  time: number;
  /** Random number in [0, 1) that varies waits, so that several machines do not retry at the same moment. */
  random: number;
  /** First wait where the answer names no time, in ms. */
  intervalMs: number;
  /** Longest wait that is taken from an answer, in ms. */
  retryAfterMaxMs: number;
}

/** A request is sent again so often; clients of the service do the same. */
const resendsMax = 3;

const advice = 'lower --rate, --concurrency or limits.sessionsAtOnce of the target file';

/** Shortest wait after a fault in ms: an overload lasts longer than the polling interval of a fast target. */
const faultWaitMinMs = 100;

/**
 * Decides about one answer. A 429 says that nothing was done, so any request may be sent again. A fault of the service
 * does not, so only a request without effect is. An answer that the request was meant to bring about is never sent again.
 */
export function decideRetry(input: RetryInput): RetryDecision {
  const { exchange, spec } = input;
  const asked = retryAfterMs(exchange.headers);
  if (spec.overload === true) return { does: 'keep', holdMs: 0 };
  const within = asked === undefined || asked <= input.retryAfterMaxMs;
  if (exchange.status === 503 && asked !== undefined) return afterFault(input, within ? asked : undefined);
  const waitMs = isWithoutEffect(input) ? faultWaitMs(exchange.status, input) : undefined;
  if (waitMs !== undefined) return { does: 'resend', waitMs: addJitter(waitMs, input.random), everybody: false };
  if (exchange.status !== 429) return { does: 'keep', holdMs: 0 };
  if (!within) return { does: 'giveUp', reason: tooLong(input, asked) };
  if (input.time >= resendsMax) {
    return { does: 'giveUp', reason: `the target answered 429 to ${exchange.operation}: ${advice}` };
  }
  const limitedMs = asked ?? input.intervalMs * 2 ** input.time;
  return { does: 'resend', waitMs: addJitter(limitedMs, input.random), everybody: asked !== undefined };
}

/** Statuses of a service or gateway that is overloaded for a moment. A fault of the service itself lasts. */
const momentaryFaults: readonly number[] = [500, 502, 503, 504];

/**
 * Returns the wait in ms before a request is sent again after a fault; undefined if the answer is none, or was the last
 * try. `time` is the number of earlier tries.
 */
export function faultWaitMs(
  status: number,
  { intervalMs, time }: Pick<RetryInput, 'intervalMs' | 'time'>,
): number | undefined {
  if (!momentaryFaults.includes(status) || time >= resendsMax) return undefined;
  return Math.max(intervalMs, faultWaitMinMs) * 2 ** time;
}

/** Returns true for a request that reads, or that has to be refused. A creation has an entry of its own for each try. */
function isWithoutEffect({ spec: { method, invalid, creates }, hasWrongKey }: RetryInput): boolean {
  if (creates === true) return false;
  return ['GET', 'HEAD'].includes(method) || invalid === true || hasWrongKey === true;
}

function afterFault(input: RetryInput, waitMs: number | undefined): RetryDecision {
  if (waitMs === undefined) return { does: 'keep', holdMs: 0 };
  const safe = isWithoutEffect(input) && input.time < resendsMax;
  const jitteredMs = addJitter(waitMs, input.random);
  return safe ? { does: 'resend', waitMs: jitteredMs, everybody: true } : { does: 'keep', holdMs: jitteredMs };
}

function tooLong({ exchange, retryAfterMaxMs }: RetryInput, asked: number): string {
  return `the target answered 429 to ${exchange.operation} and asks for a wait of ${asked} ms, more than ${retryAfterMaxMs} (--retry-after-max)`;
}

/** Extends a wait randomly by up to a tenth. */
export function addJitter(waitMs: number, random: number): number {
  return waitMs * (1 + random / 10);
}

/** Returns the wait of a `Retry-After` header in ms; a date counts from the `Date` header of the answer. */
function retryAfterMs(headers: Record<string, string>): number | undefined {
  const value = headers['retry-after']?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const [until, from] = [Date.parse(value), Date.parse(headers['date'] ?? '')];
  return Number.isNaN(until) || Number.isNaN(from) ? undefined : Math.max(0, until - from);
}
