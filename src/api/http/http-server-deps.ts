import type { IncomingMessage } from 'node:http';
import type { RuleBook } from '#contract/rule-book.ts';
import type { MaybePromise } from '#lib/maybe-promise.ts';
import type { Enter, RequestScope } from './request-scope.ts';
import type { AnswerListeners } from './response-log.ts';
import type { Tracer } from '#lib/tracer.ts';
import type { HttpReply, HttpRequest } from '#contract/http-messages.ts';
import type { TrustedProxies } from './client-address.ts';

/**
 * Function that decides by the headers of a request whether the hooks that the creator of the server added to Fastify
 * apply to the request.
 */
export type IsHooked = (request: Pick<IncomingMessage, 'headers'>) => boolean;

/** Dependencies of an HTTP server. */
export interface HttpServerDeps extends AnswerListeners {
  answer(request: HttpRequest): MaybePromise<HttpReply>;
  readonly rules: RuleBook;
  /**
   * Path prefix of requests that bypass Fastify and go to `answer` directly. No route may be added below it.
   * @defaultValue no bypass
   */
  readonly straightBelow?: string;
  /**
   * Returns whether hooks of Fastify apply to a request, which then does not bypass Fastify.
   * @defaultValue returns false for every request
   */
  readonly isHooked?: IsHooked;
  /** Maximum number of connections of one client address. @defaultValue unlimited */
  readonly connectionsPerAddress?: number;
  /** Proxies whose `X-Forwarded-For` is trusted. @defaultValue none */
  readonly trustedProxies?: TrustedProxies;
  /**
   * Scope in which each request runs. A log that was created with this scope adds the request id to its lines.
   * @defaultValue only the line of each response contains the request id
   */
  readonly scope?: RequestScope;
  /** Wrappers of the work for each request, outermost first. @defaultValue none */
  readonly enter?: readonly Enter[];
  /** Records traces of requests. @defaultValue none */
  readonly tracer?: Tracer;
}
