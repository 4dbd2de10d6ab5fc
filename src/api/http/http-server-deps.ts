import type { IncomingMessage } from 'node:http';
import type { RuleBook } from '#contract/rule-book.ts';
import type { MaybePromise } from '#lib/maybe-promise.ts';
import type { TrustedProxies } from './trusted-proxies.ts';
import type { Enter } from './enter.ts';
import type { RequestScope } from './request-scope.ts';
import type { AnswerListeners } from './response-log.ts';
import type { Tracer } from '#lib/tracer.ts';
import type { HttpReply, HttpRequest } from '#contract/http-messages.ts';

/** Whether hooks are about a request; known by its head alone. */
export type IsHooked = (request: Pick<IncomingMessage, 'headers'>) => boolean;

/** What the server needs besides the network. */
export interface HttpServerDeps extends AnswerListeners {
  answer(request: HttpRequest): MaybePromise<HttpReply>;
  readonly rules: RuleBook;
  /** Requests whose path begins so are `answer`'s alone, and go past the framework: no route is ever added there. @defaultValue none do */
  readonly straightBelow?: string;
  /** Of them those that hooks are about which whoever made the server adds to it: they are the framework's. @defaultValue none are */
  readonly isHooked?: IsHooked;
  /** Connections that one address may hold. @defaultValue any number */
  readonly connectionsPerAddress?: number;
  /** Proxies whose `X-Forwarded-For` is believed. @defaultValue none */
  readonly trustedProxies?: TrustedProxies;
  /** Knows the request of every line that is logged. @defaultValue only the lines of the server itself name it */
  readonly scope?: RequestScope;
  /** Stand around the work for every request. @defaultValue nothing does */
  readonly enter?: readonly Enter[];
  /** Draws requests over time. @defaultValue nobody does */
  readonly tracer?: Tracer;
}
