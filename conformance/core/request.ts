import type { Exchange } from './exchange.ts';
import type { JsonValue } from './json.ts';
import type { Generation } from './target.ts';

/** One request to send. */
export interface RequestSpec {
  generation: Generation | 'other';
  /** Operation id of the documents, or a name of ours. */
  operation: string;
  method: string;
  /** Path below the generation's base, or an absolute address when `generation` is `other`. */
  path: string;
  /** JSON body; sent as application/json. */
  body?: JsonValue;
  /** Body sent as it is instead of `body`, for malformed JSON. */
  rawBody?: string;
  /** Extra headers; they replace those that the client sets. */
  headers?: Record<string, string>;
  /** `right` (default), `none`, or another key to send. */
  key?: 'right' | 'none' | { other: string };
  /** True when the request breaks the contract on purpose: it is not validated before sending. */
  invalid?: boolean;
  /** True when it may create something: its answer is waited for even when the run ends, because it carries the id. */
  creates?: boolean;
  /** `own`: the body is sent as it is, without the ceiling that every task carries. */
  ceiling?: 'own';
  /** True when it asks for more than the target may take: a 429 is then an answer to judge. */
  overload?: boolean;
}

/**
 * Sends requests and records them. Does not throw for an answer or a fault of the network (see Exchange.status), but for
 * a 429 (TooManyRequests), an early end of the run (NotRun), and a wrong request of ours (OwnRequestError).
 */
export type Send = (spec: RequestSpec) => Promise<Exchange>;
