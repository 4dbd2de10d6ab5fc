import { isJsonObject } from '#lib/json.ts';
import { isProblem, problem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import { match } from '#contract/match.ts';
import { parse } from '#api/http/parse.ts';
import { refuse } from '#api/http/refuse.ts';
import type { HttpReply, HttpRequest } from '#contract/http-messages.ts';
import { type Answerer, createAnswerer } from './answer-from-document.ts';
import { checkRules } from './check-rules.ts';
import { idsIn, refuseUnknown } from './known-ids.ts';
import { type MockRoute, loadRoutes } from './load-routes.ts';
import { toOwnAddresses } from './own-addresses.ts';
import { type Wanted, readPrefer } from './prefer.ts';
import { type SchemaMemory, createSchemaMemory } from './shape/remember-schemas.ts';
import { shapeAnswer } from './shape/shape-answer.ts';
import { testTasks } from '#generated/rules.ts';
import type { OperationValidators } from '#api/http/validators.ts';

/** Options of {@link createDocumentAnswers}. */
interface DocumentAnswerOptions {
  readonly rules: RuleBook;
  /** The only accepted API key. */
  readonly apiKey: string;
  /** Whether responses are generated from the schemas by default. */
  readonly dynamic: boolean;
  readonly random: () => number;
}

/** The operations of the documents, and the function that answers their requests. */
export interface DocumentAnswers {
  readonly routes: readonly MockRoute[];
  readonly answer: (request: HttpRequest) => Promise<HttpReply>;
}

/** Loads the documents. A response depends on the request only, except for the output schemas of the latest records. */
export async function createDocumentAnswers({
  rules,
  apiKey,
  dynamic,
  random,
}: DocumentAnswerOptions): Promise<DocumentAnswers> {
  const routes = await loadRoutes();
  const answerer = createAnswerer({ dynamic, random });
  const memory = createSchemaMemory();
  return { routes, answer: (request) => answer({ rules, routes, answerer, apiKey, memory }, request) };
}

/** Dependencies of a response. */
interface AnswerDeps {
  readonly rules: RuleBook;
  readonly routes: readonly MockRoute[];
  readonly answerer: Answerer;
  readonly apiKey: string;
  /** The output schemas of the latest records. */
  readonly memory: SchemaMemory;
}

/**
 * Answers a request. Refusals have the order of the reference service: route, key, body, shape, rules (design section
 * 8).
 */
async function answer(
  { rules, routes, answerer, apiKey, memory }: AnswerDeps,
  request: HttpRequest,
): Promise<HttpReply> {
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
  if (isProblem(wanted)) return refuse(wanted, rules);
  if (isAsked(wanted)) return finished(await answerer.answer(route, wanted), route, request);

  const ids = idsIn(route, parsed);
  const unknown = refuseUnknown(ids, (id) => memory.has(id));
  if (unknown !== null && route.validators.responses.statuses.has(404)) return refuse(unknown, rules);
  const reply = await answerer.answer(route, wanted);
  const body = isJsonObject(reply.body) ? shapeAnswer(reply.body, { route, parsed, ids }, memory) : reply.body;
  return isProblem(body) ? refuse(body, rules) : finished({ ...reply, body }, route, request);
}

/** Completes a response: URLs of the mock itself in examples, headers of refusals. */
function finished(reply: HttpReply, route: MockRoute, { headers }: HttpRequest): HttpReply {
  if (reply.status >= 400) return withRetryAfter(reply, route);
  return isJsonObject(reply.body)
    ? { ...reply, body: toOwnAddresses(reply.body, headers['host'] ?? 'localhost') }
    : reply;
}

/** Returns whether the request selects a documented response, which is then returned unchanged. */
function isAsked({ code, example }: Wanted): boolean {
  return code !== undefined || example !== undefined;
}

/**
 * Adds Retry-After, in seconds, to responses whose document lists it. The value is the number in the body, else that of
 * the test tasks.
 */
function withRetryAfter(
  reply: HttpReply,
  { validators }: { readonly validators: Pick<OperationValidators, 'responses'> },
): HttpReply {
  if (!validators.responses.headers(reply.status).has('retry-after')) return reply;
  const told = isJsonObject(reply.body) ? reply.body['retry_after_seconds'] : undefined;
  const seconds = typeof told === 'number' ? told : testTasks.numbers.retryAfterSeconds;
  return { ...reply, headers: { ...reply.headers, 'Retry-After': String(seconds) } };
}
