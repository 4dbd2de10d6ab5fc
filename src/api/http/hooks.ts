import type { Route, HttpReply, HttpRequest } from '#contract/http-messages.ts';
import type { Problem } from '#contract/problems.ts';
import type { MaybePromise } from '#lib/maybe-promise.ts';
import type { ParsedRequest } from '#operations/operation.ts';

/** A hook around a handler: it may wait, inspect request and response, and pass on another request. */
export type Around = (
  request: HttpRequest,
  answer: (request: HttpRequest) => MaybePromise<HttpReply>,
) => MaybePromise<HttpReply>;

/** A request that nothing is wrong with, and that has had no effect yet. */
export interface Valid<Caller> {
  readonly request: HttpRequest;
  readonly route: Route;
  readonly parsed: ParsedRequest;
  readonly caller: Caller;
}

/** Returns a problem for a valid request, for tests of clients; null to continue. */
export type Interrupt<Caller> = (valid: Valid<Caller>) => Problem | null;

/** A request with its caller and operation, before validation. */
export interface Asked<Caller> {
  readonly request: HttpRequest;
  /** Null where no operation takes it. */
  readonly route: Route | null;
  /** Null without a usable key. */
  readonly caller: Caller | null;
}

/** What the rate of requests says about one of them. */
export interface Paced {
  /** They stand in its answer, whatever it is. */
  readonly headers: Readonly<Record<string, string>>;
  /** Why it is not looked at; null where it is. */
  readonly refusal: Problem | null;
}

/** Result without rate limiting. */
export const unpaced: Paced = { headers: {}, refusal: null };

/** Counts one request. */
export type Pace<Caller> = (asked: Asked<Caller>) => MaybePromise<Paced>;
