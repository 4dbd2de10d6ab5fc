import { busyReason } from '../core/report.ts';
import type { RequestSpec } from '../core/request.ts';
import { type Exchange, wasNotReceived } from '../core/exchange.ts';

/** Decision of the retry policy about a response. */
export type RetryDecision =
  /** The response is kept. No request is sent for `holdMs`, the wait that a busy target requests; 0 for no wait. */
  | { does: 'keep'; holdMs: number }
  /**
   * The request is sent again after `waitMs`. If `everybody` is true, the run sends no other request in the meantime.
   */
  | { does: 'resend'; waitMs: number; everybody: boolean }
  | { does: 'giveUp'; reason: string }
  /** The target can no longer be reached: the run ends. */
  | { does: 'end'; reason: string };

/**
 * Input of the retry policy. Every value comes from the recorded response, the request, the options or the seed, so
 * that a playback makes the same decisions.
 */
export interface RetryInput {
  exchange: Pick<Exchange, 'status' | 'headers' | 'operation' | 'fault'>;
  spec: Pick<RequestSpec, 'method' | 'overload' | 'generation'>;
  /** Number of earlier attempts of the request. */
  time: number;
  /** Random number in [0, 1) that varies waits, so that several machines do not retry at the same moment. */
  random: number;
  /** First wait in ms if the response states no time. */
  intervalMs: number;
  /** Maximum accepted wait of a response's Retry-After, in ms. */
  retryAfterMaxMs: number;
}

/** Maximum number of retries of a request; clients of the service use the same number. */
const resendsMax = 3;

const advice = 'lower --rate, --concurrency or limits.sessionsAtOnce of the target file';

/** Statuses of a temporary overload of a gateway or service. A 500 is a fault of the service and is judged. */
const momentary: readonly number[] = [502, 503, 504];

/**
 * Decides whether a request is retried after a response. After a 429 every request may be retried, because the service
 * did nothing. After a 502, 503 or 504 only a GET may be retried. A request to the target that found no connection may
 * be retried too; if the target stays unreachable, the run ends. A request that is meant to cause an overload
 * (`overload`) is never retried.
 */
export function decideRetry(input: RetryInput): RetryDecision {
  const { exchange, spec } = input;
  if (spec.overload === true) return { does: 'keep', holdMs: 0 };
  // A URL from a response may lead to another host. The check that requests this URL judges the fault.
  if (spec.generation !== 'other' && wasNotReceived(exchange)) return waitForTarget(input);
  if (exchange.status === 429 || momentary.includes(exchange.status)) return waitOutOverload(input);
  return { does: 'keep', holdMs: 0 };
}

function waitOutOverload(input: RetryInput): RetryDecision {
  const { exchange, spec, time, random, intervalMs } = input;
  const isLimited = exchange.status === 429;
  const asked = retryAfterMs(exchange.headers);
  if (asked !== undefined && asked > input.retryAfterMaxMs) return giveUp(input, tooLong(input, asked));
  const waitMs = addJitter(asked ?? intervalMs * 2 ** time, random);
  const everybody = asked !== undefined;
  if (time < resendsMax && (isLimited || spec.method === 'GET')) return { does: 'resend', waitMs, everybody };
  return giveUp(input, `${busyReason} to ${exchange.operation}: ${advice}`, everybody ? waitMs : 0);
}

function waitForTarget({ exchange, time, random, intervalMs }: RetryInput): RetryDecision {
  if (time < resendsMax) return { does: 'resend', waitMs: addJitter(intervalMs * 2 ** time, random), everybody: true };
  return {
    does: 'end',
    reason: `the target could no longer be reached: ${exchange.operation} gave no answer (${exchange.fault})`,
  };
}

/**
 * Returns the decision for a request that is not sent again. After a 429 there is no verdict, for `reason`. Any other
 * response is kept, and no request is sent for `holdMs`.
 */
function giveUp({ exchange }: RetryInput, reason: string, holdMs = 0): RetryDecision {
  return exchange.status === 429 ? { does: 'giveUp', reason } : { does: 'keep', holdMs };
}

function tooLong({ exchange, retryAfterMaxMs }: RetryInput, asked: number): string {
  return `${busyReason} to ${exchange.operation} and asks for a wait of ${asked} ms, more than ${retryAfterMaxMs} (--retry-after-max)`;
}

/** Extends a wait by a random amount of up to a tenth. */
export function addJitter(waitMs: number, random: number): number {
  return waitMs * (1 + random / 10);
}

/**
 * Returns the delay that a `Retry-After` header requests, in ms; a date is relative to the response's `Date` header.
 * Undefined without a valid value.
 */
function retryAfterMs(headers: Record<string, string>): number | undefined {
  const value = headers['retry-after']?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const [until, from] = [Date.parse(value), Date.parse(headers['date'] ?? '')];
  return Number.isNaN(until) || Number.isNaN(from) ? undefined : Math.max(0, until - from);
}
