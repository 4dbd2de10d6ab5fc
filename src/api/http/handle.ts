import { type Problem, isProblem, renderProblem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import { type MaybePromise, whenResolved } from '#lib/maybe-promise.ts';
import { type Matched, match } from '#contract/match.ts';
import type { Route, HttpReply, HttpRequest } from '#contract/http-messages.ts';
import { type Interrupt, type CountRequest, type RateResult, unlimited, type ValidRequest } from './hooks.ts';
import type { AnyOperation } from '#operations/operation.ts';
import { parse } from './parse.ts';
import type { Verify } from './verify.ts';
import type { OperationValidators } from './validators.ts';

/** A route with its operation. */
export interface BoundRoute<Caller> extends Route {
  readonly operation: AnyOperation<Caller>;
  readonly validators: OperationValidators;
}

/** The operations and stages of a service. */
export interface Service<Caller> {
  readonly routes: readonly BoundRoute<Caller>[];
  /** Returns the caller of an operation, or the refusal of a request without a valid key. */
  authenticate(request: HttpRequest, route: Route): MaybePromise<Caller | Problem>;
  /** Counts every request and refuses requests over the limit. @defaultValue no limit */
  readonly pace?: CountRequest<Caller>;
  /** Refuses a valid request before it has an effect. @defaultValue none */
  readonly interrupt?: Interrupt<Caller>;
  /**
   * Returns the refusal of an operation that is currently closed; null if the operation is open. @defaultValue all are
   * open
   */
  closed?(route: Route): Problem | null;
  readonly rules: RuleBook;
  /** Validates a response against its schema. */
  readonly verify: Verify;
  /**
   * Function that runs a stage of the pipeline. Tracing replaces it to record a span. @defaultValue calls the stage
   * directly
   */
  readonly stage?: Stage;
}

/** The stages that may be asynchronous. */
export type StageName = 'authenticate' | 'parse' | 'decide' | 'apply';

/** Runs one stage of a request. */
export type Stage = <T>(name: StageName, work: () => MaybePromise<T>) => MaybePromise<T>;

const justDone: Stage = (_name, work) => work();

/**
 * Handles a request: match -> authenticate -> pace -> parse -> decide -> apply -> render -> verify. Each stage returns
 * the input of the next one, or a problem. A thrown error is a bug that the caller reports. The result is synchronous
 * when no stage is asynchronous.
 */
export function handle<Caller extends object>(service: Service<Caller>, request: HttpRequest): MaybePromise<HttpReply> {
  const stage = service.stage ?? justDone;
  const matched = match(service.routes, request);
  // Set before any rejection, so that rejections are counted by operation.
  if (!isProblem(matched)) request.matched?.(matched.route);
  const found = isProblem(matched)
    ? matched
    : stage('authenticate', () => service.authenticate(request, matched.route));
  return whenResolved(found, (caller) =>
    whenResolved(service.pace?.(describeRequest(request, matched, caller)) ?? unlimited, (paced) => {
      const reply = verified(service, matched, answer(service, { request, matched, caller: paced.refusal ?? caller }));
      return paced === unlimited ? reply : whenResolved(reply, (one) => withHeaders(one, paced.headers));
    }),
  );
}

/**
 * Validates a response of status 400 or above against the document of its operation. Returns the response of a request
 * without an operation unchecked.
 */
function verified<Caller extends object>(
  service: Service<Caller>,
  matched: Matched<BoundRoute<Caller>> | Problem,
  reply: MaybePromise<HttpReply>,
): MaybePromise<HttpReply> {
  if (isProblem(matched)) return reply;
  return whenResolved(reply, (one) => {
    if (one.status >= 400) service.verify(matched.route, one);
    return one;
  });
}

function withHeaders(reply: HttpReply, headers: RateResult['headers']): HttpReply {
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

function describeRequest<Caller extends object>(
  request: HttpRequest,
  matched: Matched<Route> | Problem,
  caller: Caller | Problem,
): Parameters<CountRequest<Caller>>[0] {
  return {
    request,
    route: isProblem(matched) ? null : matched.route,
    caller: isProblem(caller) ? null : caller,
  };
}

/** A request with its route and its caller. Either may be the problem for which the request is rejected. */
interface Admitted<Caller> {
  readonly request: HttpRequest;
  readonly matched: Matched<BoundRoute<Caller>> | Problem;
  readonly caller: Caller | Problem;
}

function answer<Caller extends object>(
  service: Service<Caller>,
  { request, matched, caller }: Admitted<Caller>,
): MaybePromise<HttpReply> {
  const { rules } = service;
  if (isProblem(caller)) return renderProblem(caller, rules);
  if (isProblem(matched)) return renderProblem(matched, rules);
  const { route, path } = matched;
  // After authentication and counting, so that unauthorised clients learn nothing else and rejections count for their
  // project.
  const closed = service.closed?.(route) ?? null;
  if (closed !== null) return renderProblem(closed, rules);
  const { stage = justDone } = service;
  const unlessRefused = createUnlessRefused(rules);

  return unlessRefused(
    stage('parse', () => parse(route, { request, path, rules })),
    (parsed) =>
      unlessRefused(
        stage('decide', () => decide(service, { request, route, parsed, caller })),
        (command) =>
          unlessRefused(
            stage('apply', () => route.operation.apply(command, caller)),
            (result) => {
              const reply = route.operation.render(result, caller);
              service.verify(route, reply);
              return reply;
            },
          ),
      ),
  );
}

type UnlessRefused = <T>(
  found: MaybePromise<T | Problem>,
  next: (value: T) => MaybePromise<HttpReply>,
) => MaybePromise<HttpReply>;

/** Creates the function that continues with the result of a stage, or renders its refusal. */
function createUnlessRefused(rules: RuleBook): UnlessRefused {
  return (found, next) =>
    whenResolved(found, (value) => (isProblem(value) ? renderProblem(value, rules) : next(value)));
}

/** Runs the decide stage. If this stage accepts the request, runs the `interrupt` hook, which may still refuse it. */
function decide<Caller>(
  { interrupt }: Pick<Service<Caller>, 'interrupt'>,
  valid: ValidRequest<Caller> & { readonly route: BoundRoute<Caller> },
): MaybePromise<unknown> {
  return whenResolved(valid.route.operation.decide(valid.parsed, valid.caller), (command) =>
    isProblem(command) ? command : (interrupt?.(valid) ?? command),
  );
}
