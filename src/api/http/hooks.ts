import type { Route, HttpReply, HttpRequest } from '#contract/http-messages.ts';
import type { Problem } from '#contract/problems.ts';
import type { MaybePromise } from '#lib/maybe-promise.ts';
import type { ParsedRequest } from '#operations/operation.ts';

/** A hook around a request handler. It may delay, inspect or replace the request and its response. */
export type Around = (
  request: HttpRequest,
  answer: (request: HttpRequest) => MaybePromise<HttpReply>,
) => MaybePromise<HttpReply>;

/** A validated request that has had no effect yet. */
export interface ValidRequest<Caller> {
  readonly request: HttpRequest;
  readonly route: Route;
  readonly parsed: ParsedRequest;
  readonly caller: Caller;
}

/** Function that may refuse a valid request, for tests of clients. Returns null to continue. */
export type Interrupt<Caller> = (valid: ValidRequest<Caller>) => Problem | null;

/** A request after routing and authentication, each of which may have failed, and before validation. */
export interface RoutedRequest<Caller> {
  readonly request: HttpRequest;
  /** The matched route; null without one. */
  readonly route: Route | null;
  /** The authenticated caller; null without a valid key. */
  readonly caller: Caller | null;
}

/** Result of rate limiting. */
export interface RateResult {
  /** Rate headers of the response, whatever its status. */
  readonly headers: Readonly<Record<string, string>>;
  /** Refusal that ends the request; null to continue. */
  readonly refusal: Problem | null;
}

/** Result without rate limiting. */
export const unlimited: RateResult = { headers: {}, refusal: null };

/** Counts a request against its rate limit. */
export type CountRequest<Caller> = (asked: RoutedRequest<Caller>) => MaybePromise<RateResult>;
