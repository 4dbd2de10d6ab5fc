import type { AnswerLimit } from './transport.ts';
import type { JsonValue } from './json.ts';
import type { Generation } from './target.ts';

/** One request and its response. Secrets are replaced by placeholders before the exchange is stored. */
export interface Exchange {
  /** Index in the recording, from 0. */
  index: number;
  generation: Generation | 'other';
  /** Operation id of the documents (`getSession`), or a name of the suite for an undocumented operation. */
  operation: string;
  /** Name of the scenario or check that sent the request. */
  sentBy: string;
  /** Time at which the request was sent, in milliseconds since the run began. */
  atMs: number;
  durationMs: number;
  request: { method: string; url: string; headers: Record<string, string>; body?: string };
  /** HTTP status; 0 if no complete response arrived. */
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The body as JSON; undefined if it is not JSON. */
  json: JsonValue | undefined;
  /** Reason why no complete response arrived. */
  fault?: string;
  /**
   * The limit that the response exceeds; `body` is then only the beginning of the response body, and `json` is
   * undefined.
   */
  exceeds?: AnswerLimit;
}

/**
 * Returns the value that a request had in the header `keyHeader`, whatever the letter case of the name; undefined
 * without this header.
 */
export function keyOf({ request }: Pick<Exchange, 'request'>, keyHeader: string): string | undefined {
  const name = keyHeader.toLowerCase();
  return Object.entries(request.headers).find(([one]) => one.toLowerCase() === name)?.[1];
}

/** Returns true for a 2xx response. */
export function succeeded(exchange: Exchange): boolean {
  return exchange.status >= 200 && exchange.status < 300;
}

/** Returns true for a 4xx response. */
export function refused(exchange: Exchange): boolean {
  return exchange.status >= 400 && exchange.status < 500;
}

/**
 * Returns true for a response that grants no access: a refusal, or a redirect, for example to a sign-in page. The
 * contract names no status for a missing or wrong key; it only requires that the request does not succeed.
 */
export function wasRejected(exchange: Exchange): boolean {
  return exchange.status >= 300 && exchange.status < 500;
}

/** Statuses whose bodies V4 does not declare, except for browser operations (companion 3.1 and unknown U7). */
const undeclaredV4: readonly number[] = [400, 403, 404, 409, 502];

/**
 * Returns true for an error response whose body no document declares (companion 3.1): it may be JSON, another text or
 * empty.
 */
export function hasUndeclaredBody({
  status,
  generation,
  operation,
}: Pick<Exchange, 'status' | 'generation' | 'operation'>): boolean {
  return status === 401 || (generation === 'v4' && undeclaredV4.includes(status) && !operation.includes('Browser'));
}

/** Faults of a connection that was never made. */
const noConnection = /\b(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)\b|^no connection within /;

/** Returns true if no connection was made, so that the target did not receive the request. */
export function wasNotReceived({ status, fault = '' }: Pick<Exchange, 'status' | 'fault'>): boolean {
  return status === 0 && noConnection.test(fault);
}

/** Stops the probes of one law before they create too many resources. */
export interface CircuitBreaker {
  note(exchange: Exchange): void;
  /** Returns true if no further probe may be sent. */
  on(): boolean;
}

/** Maximum number of probes that are not refused: each may have created a live resource with a cost. */
const unrefusedMax = 3;

/** Reason for probes that were not sent because the circuit breaker was open. */
export const breakerReason = `${unrefusedMax} probes were not refused, and each may have created something`;

/**
 * Creates a circuit breaker for the probes of one law. It counts every probe that was not refused with 4xx, also a
 * probe without a complete response, because a resource may exist.
 */
export function createCircuitBreaker(): CircuitBreaker {
  let unrefused = 0;
  return {
    note: (exchange) => {
      unrefused += refused(exchange) ? 0 : 1;
    },
    on: () => unrefused >= unrefusedMax,
  };
}

/** Returns a description such as "answered 404" or "gave no answer (time-out)". */
export function describeAnswer(exchange: Exchange): string {
  return exchange.status === 0
    ? `gave no answer (${exchange.fault ?? 'unknown fault'})`
    : `answered ${exchange.status}`;
}

/**
 * Returns true for a status that is about billing, permissions, conflicts or load, and so does not show whether the
 * request is valid. Also true for a missing response (0).
 */
export function isCapacity(status: number): boolean {
  return [0, 402, 403, 409, 429, 502, 503, 504].includes(status);
}

/**
 * Returns true for 404, 405 and 501, which can mean that the target lacks the operation or serves it at another path.
 */
export function isNotServed(status: number): boolean {
  return [404, 405, 501].includes(status);
}

/** Returns true for a status that reports a fault of the service itself, and not of a gateway or of its load. */
export function isServerError(status: number): boolean {
  return status >= 500 && !isCapacity(status);
}
