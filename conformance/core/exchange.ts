import type { AnswerLimit } from './transport.ts';
import type { JsonValue } from './json.ts';
import type { Generation } from './target.ts';

/** One request and what came back. Secrets are replaced by placeholders before anything is kept. */
export interface Exchange {
  /** Position in the recording, from 0. */
  index: number;
  generation: Generation | 'other';
  /** Operation id of the documents (`getSession`), or a name of ours for an operation that they do not have. */
  operation: string;
  /** Which scenario or check sent it. */
  sentBy: string;
  /** Milliseconds since the run began. */
  atMs: number;
  durationMs: number;
  request: { method: string; url: string; headers: Record<string, string>; body?: string };
  /** HTTP status; 0 when no whole answer arrived. */
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The body as JSON; undefined when it is not JSON. */
  json: JsonValue | undefined;
  /** Why no whole answer arrived. */
  fault?: string;
  /** The limit that the answer exceeds; `body` is then its beginning, and `json` undefined. */
  exceeds?: AnswerLimit;
}

/** True for a 2xx answer. */
export function succeeded(exchange: Exchange): boolean {
  return exchange.status >= 200 && exchange.status < 300;
}

/** True for a 4xx answer. */
export function refused(exchange: Exchange): boolean {
  return exchange.status >= 400 && exchange.status < 500;
}

/**
 * Returns true for an answer that grants no access: a refusal, or a redirect, for example to a sign-in page. The contract
 * names no status for a missing or wrong key; it demands that the request does not succeed.
 */
export function wasRejected(exchange: Exchange): boolean {
  return exchange.status >= 300 && exchange.status < 500;
}

/** Stops the probes of one law before they create too much. */
export interface CircuitBreaker {
  note(exchange: Exchange): void;
  /** True when no further probe may be sent. */
  on(): boolean;
}

/** Each probe that is not refused may have left a live thing that costs: three are enough to know. */
const unrefusedMax = 3;

/** Reason of probes that an open circuit breaker did not send. */
export const breakerReason = `${unrefusedMax} probes were not refused, and each may have created something`;

/** Creates a circuit breaker for the probes of one law. A late or broken answer counts as a resource that may exist. */
export function createCircuitBreaker(): CircuitBreaker {
  let unrefused = 0;
  return {
    note: (exchange) => {
      unrefused += refused(exchange) ? 0 : 1;
    },
    on: () => unrefused >= unrefusedMax,
  };
}

/** "answered 404" or "gave no answer (time-out)". */
export function describeAnswer(exchange: Exchange): string {
  return exchange.status === 0
    ? `gave no answer (${exchange.fault ?? 'unknown fault'})`
    : `answered ${exchange.status}`;
}
