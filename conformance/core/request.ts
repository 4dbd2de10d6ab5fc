import type { Exchange } from './exchange.ts';
import type { JsonValue } from './json.ts';
import type { Generation } from './target.ts';

/** One request to send. */
export interface RequestSpec {
  generation: Generation | 'other';
  /** Operation id in the OpenAPI documents, or a name that the suite gives to another request (`advanceClock`). */
  operation: string;
  method: string;
  /** Path below the base path of the generation, or an absolute URL if `generation` is `other`. */
  path: string;
  /** JSON body; sent as application/json. */
  body?: JsonValue;
  /** Raw body instead of `body`, for malformed JSON. */
  rawBody?: string;
  /** Extra headers; they override the headers of the client. */
  headers?: Record<string, string>;
  /**
   * Key of the request: `right` is the key of the run, `none` sends no key, `other` names another key.
   * @defaultValue `right`
   */
  key?: 'right' | 'none' | { other: string };
  /** True for a request that violates the contract on purpose. Such a request is not validated before it is sent. */
  invalid?: boolean;
  /**
   * True if the request may create a resource. The suite awaits its response even at the end of the run, because the
   * response contains the id of the resource.
   */
  creates?: boolean;
  /** If set, the body is sent unchanged, and the client adds no cost ceiling. */
  ceiling?: 'own';
  /**
   * True for a request that may exceed a limit of the target. A 429 is then a response to judge, and the request is not
   * sent again.
   */
  overload?: boolean;
}

/**
 * Sends a request and records it. Does not throw for a response or a network fault (see Exchange.status). Throws
 * TooManyRequests for a 429 that repetitions did not resolve, unless the request has `overload`; NotRun at an early end
 * of the run; and OwnRequestError for an invalid request of the suite.
 */
export type Send = (spec: RequestSpec) => Promise<Exchange>;
