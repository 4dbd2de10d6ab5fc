import type { FastifyBaseLogger } from 'fastify';
import { isProblem, problem } from '#domain/problems.ts';
import type { Soon } from '#domain/soon.ts';
import { type RuleBook, defaultRules } from '#domain/rule-book.ts';
import { match } from '#http/match.ts';
import { parse } from '#http/parse.ts';
import { refuse } from '#http/refuse.ts';
import { noResponses } from '#http/validators.ts';
import type { WireReply, WireRequest } from '#http/wire.ts';
import { type Answerer, createAnswerer } from './answer-from-document.ts';
import { checkRules } from './check-rules.ts';
import { faulty } from './faulty.ts';
import { late } from './late.ts';
import { loadRoutes } from './load-routes.ts';
import { type MockServer, createMockServer } from './mock-server.ts';
import { readPrefer } from './prefer.ts';
import { createRandom } from './random.ts';
import type { ResponsesOf } from './request-log/index.ts';

/** How a mock behaves. */
export interface MockOptions {
  /** The one key that is accepted, in the header X-Service-API-Key. */
  readonly apiKey: string;
  /** Makes dynamic answers, delays and faults repeat. @defaultValue 1 */
  readonly seed?: number;
  /** Invents answers from the schemas instead of showing the examples. @defaultValue false */
  readonly dynamic?: boolean;
  /** Every answer is held back for a time between the two, both included, in milliseconds. @defaultValue no delay */
  readonly latencyMs?: readonly [min: number, max: number];
  /** Share of the valid requests that are answered with an internal error, 0 to 1. @defaultValue 0 */
  readonly faultRate?: number;
  /** The rule tables that refusals come from; a flipped copy makes a broken mock. @defaultValue the tables of spec/rules */
  readonly rules?: RuleBook;
  /** Receives a line per request and every bug. */
  readonly log: FastifyBaseLogger;
}

/** Answers every request from the documents: V2, V3 and V4 under /api/v2, /api/v3 and /api/v4 of one port. Keeps no state. */
export async function createMock(options: MockOptions): Promise<MockServer> {
  const rules = options.rules ?? defaultRules;
  const routes = await loadRoutes();
  const random = createRandom(options.seed ?? 1);
  const answerer = createAnswerer({ dynamic: options.dynamic ?? false, random });
  const closing = new AbortController();
  const { latencyMs = [0, 0], apiKey } = options;
  const held = late({ latencyMs, random, signal: closing.signal });
  const failing = faulty({ faultRate: options.faultRate ?? 0, random, rules });
  const decide = (request: WireRequest): Soon<WireReply> =>
    failing(request, (inner) => answer({ rules, routes, answerer, apiKey }, inner));
  const responsesOf: ResponsesOf = ({ version, id }) =>
    routes.find((route) => route.version === version && route.id === id)?.validators.responses ?? noResponses;
  const parts = {
    answer: (request: WireRequest) => held(request, decide),
    rules,
    apiKey,
    responsesOf,
    log: options.log,
  };
  return createMockServer(parts, () => closing.abort());
}

interface Parts {
  readonly rules: RuleBook;
  readonly routes: Awaited<ReturnType<typeof loadRoutes>>;
  readonly answerer: Answerer;
  readonly apiKey: string;
}

/** The order of refusals is the one of the reference: route, key, body, shape, rules (design section 8). */
async function answer({ rules, routes, answerer, apiKey }: Parts, request: WireRequest): Promise<WireReply> {
  const matched = match(routes, { ...request, method: request.method === 'HEAD' ? 'GET' : request.method });
  if (isProblem(matched)) return refuse(matched, rules);
  const { route, path } = matched;

  if (request.headers[rules.service.authentication.name.toLowerCase()] !== apiKey)
    return refuse(problem('not_authenticated', {}), rules);

  const parsed = await parse(route, { request, path, rules });
  if (isProblem(parsed)) return refuse(parsed, rules);

  const refused = checkRules(rules, route.rules, parsed.body);
  if (refused !== null) return refuse(refused, rules);

  const wanted = readPrefer(request.headers['prefer'], route.examples, rules);
  return isProblem(wanted) ? refuse(wanted, rules) : answerer.answer(route, wanted);
}
