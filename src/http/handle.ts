import { type Problem, isProblem } from '#domain/problems.ts';
import type { RuleBook } from '#domain/rule-book.ts';
import { type Route, match } from './match.ts';
import type { AnyOperation } from './operation.ts';
import { parse } from './parse.ts';
import { refuse } from './refuse.ts';
import type { Verify } from './verify.ts';
import type { OperationValidators } from './validators.ts';
import type { WireReply, WireRequest } from './wire.ts';

/** A route with what answers it. */
export interface BoundRoute<Caller> extends Route {
  readonly operation: AnyOperation<Caller>;
  readonly validators: OperationValidators;
}

/** What a request needs besides itself. */
export interface Service<Caller> {
  readonly routes: readonly BoundRoute<Caller>[];
  /** Who calls an operation, or the refusal of a call without a usable key. */
  authenticate(request: WireRequest, route: Route): Promise<Caller | Problem>;
  readonly rules: RuleBook;
  /** Checks our own answer against its schema. */
  readonly verify: Verify;
}

/**
 * One request, one line: match -> authenticate -> parse -> decide -> apply -> render -> verify. Each stage answers the next
 * one's input or a problem; a thrown error is a bug and the caller's to report.
 */
export async function handle<Caller extends object>(
  service: Service<Caller>,
  request: WireRequest,
): Promise<WireReply> {
  const matched = match(service.routes, request);
  if (isProblem(matched)) return refuse(matched, service.rules);
  const { route, path } = matched;

  const caller = await service.authenticate(request, route);
  if (isProblem(caller)) return refuse(caller, service.rules);

  const parsed = await parse(route, { request, path, rules: service.rules });
  if (isProblem(parsed)) return refuse(parsed, service.rules);

  const command = await route.operation.decide(parsed, caller);
  if (isProblem(command)) return refuse(command, service.rules);

  const result = await route.operation.apply(command, caller);
  if (isProblem(result)) return refuse(result, service.rules);

  const reply = route.operation.render(result, caller);
  service.verify(route, reply);
  return reply;
}
