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
 * True for an answer that lets nobody in: a refusal, or a redirect, as to a page to sign in at. The contract shows no status for
 * a missing or wrong key; what it demands is that the request does not succeed.
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

/** Why the probes behind a brake were not sent. */
export const breakerReason = `${unrefusedMax} probes were not refused, and each may have created something`;

/** A brake for the probes of one law. An answer that is late or broken may stand for a thing that was created. */
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
