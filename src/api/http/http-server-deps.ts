import type { IncomingMessage } from 'node:http';
import type { RuleBook } from '#contract/rule-book.ts';
import type { MaybePromise } from '#lib/maybe-promise.ts';
import type { Enter, RequestScope } from './request-scope.ts';
import type { AnswerListeners } from './response-log.ts';
import type { Tracer } from '#lib/tracer.ts';
import type { HttpReply, HttpRequest } from '#contract/http-messages.ts';
import type { TrustedProxies } from './client-address.ts';

/** Whether hooks are about a request; known by its head alone. */
export type IsHooked = (request: Pick<IncomingMessage, 'headers'>) => boolean;

/** What the server needs besides the network. */
export interface HttpServerDeps extends AnswerListeners {
  answer(request: HttpRequest): MaybePromise<HttpReply>;
  readonly rules: RuleBook;
  /** Requests whose path begins so are `answer`'s alone, and go past the framework: no route is ever added there. @defaultValue none do */
  readonly straightBelow?: string;
  /**
   * Returns whether a path has hooks of the server's creator; those requests go through the framework.
   * @defaultValue none
   */
  readonly isHooked?: IsHooked;
  /** Connections that one address may hold. @defaultValue any number */
  readonly connectionsPerAddress?: number;
  /** Proxies whose `X-Forwarded-For` is believed. @defaultValue none */
  readonly trustedProxies?: TrustedProxies;
  /** Knows the request of every line that is logged. @defaultValue only the lines of the server itself name it */
  readonly scope?: RequestScope;
  /** Stand around the work for every request. @defaultValue nothing does */
  readonly enter?: readonly Enter[];
  /** Records traces of requests. @defaultValue none */
  readonly tracer?: Tracer;
}
