import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import {
  type Problem,
  isProblem,
  problem,
  problemDetails,
  validationProblem,
  renderProblem,
} from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import { match } from '#contract/match.ts';
import { parse } from '#api/http/parse.ts';
import type { HttpReply, HttpRequest } from '#contract/http-messages.ts';
import { idsIn, refuseUnknown } from './known-ids.ts';
import { type MockRoute, loadRoutes } from './load-routes.ts';
import { toOwnAddresses } from './own-addresses.ts';
import { type Wanted, readPrefer } from './prefer.ts';
import { type SchemaMemory, createSchemaMemory } from './shape/remember-schemas.ts';
import { shapeAnswer } from './shape/shape-answer.ts';
import { mock, testTasks } from '#generated/rules.ts';
import type { OperationValidators } from '#api/http/validators.ts';
import { checkOwnKey, checkThinkingLevel, listModelParamsRefusals } from '#contract/model-controls.ts';
import { createInstance, createLogger } from './prism.ts';

/** Options of {@link createDocumentAnswers}. */
interface DocumentAnswerOptions {
  readonly rules: RuleBook;
  /** The only API key that the mock accepts. */
  readonly apiKey: string;
  /** Whether responses are generated from schemas, unless the request says otherwise. */
  readonly dynamic: boolean;
  readonly random: () => number;
}

/** The operations of the OpenAPI documents, and a function that answers requests for these operations. */
export interface DocumentAnswers {
  readonly routes: readonly MockRoute[];
  readonly answer: (request: HttpRequest) => Promise<HttpReply>;
}

/**
 * Loads the OpenAPI documents, and creates a function that answers requests from them. The function stores only the
 * output schemas of the latest sessions, tasks and runs. `random` gives the seeds of generated values, unless a request
 * gives a seed.
 */
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
 * Answers a request from the documents. Checks in the order of the reference service: route, key, body, shape, rules.
 * The first failed check determines the refusal.
 */
async function answer(
  { rules, routes, answerer, apiKey, memory }: AnswerDeps,
  request: HttpRequest,
): Promise<HttpReply> {
  const matched = match(routes, { ...request, method: request.method === 'HEAD' ? 'GET' : request.method });
  if (isProblem(matched)) return renderProblem(matched, rules);
  const { route, path } = matched;

  if (request.headers[rules.service.authentication.name.toLowerCase()] !== apiKey)
    return renderProblem(problem('not_authenticated', {}), rules);

  const parsed = await parse(route, { request, path, rules });
  if (isProblem(parsed)) return renderProblem(parsed, rules);

  const refused = checkRules(rules, route.rules, parsed.body);
  if (refused !== null) return renderProblem(refused, rules);

  const wanted = readPrefer(request.headers['prefer'], route.examples, rules);
  if (isProblem(wanted)) return renderProblem(wanted, rules);
  if (isAsked(wanted)) return finished(await answerer.answer(route, wanted), route, request);

  const ids = idsIn(route, parsed);
  const unknown = refuseUnknown(ids, (id) => memory.has(id));
  if (unknown !== null && route.validators.responses.statuses.has(404)) return renderProblem(unknown, rules);
  const reply = await answerer.answer(route, wanted);
  const body = isJsonObject(reply.body) ? shapeAnswer(reply.body, { route, parsed, ids }, memory) : reply.body;
  return isProblem(body) ? renderProblem(body, rules) : finished({ ...reply, body }, route, request);
}

/**
 * Completes a response. In a success, URLs of the example get the origin of the mock. A refusal gets `Retry-After` if
 * its document lists this header.
 */
function finished(reply: HttpReply, route: MockRoute, { headers }: HttpRequest): HttpReply {
  if (reply.status >= 400) return withRetryAfter(reply, route);
  return isJsonObject(reply.body)
    ? { ...reply, body: toOwnAddresses(reply.body, headers['host'] ?? 'localhost') }
    : reply;
}

/**
 * Returns whether the request selects a documented response by status or name. A response that is selected in this way
 * is not adapted to the request.
 */
function isAsked({ code, example }: Wanted): boolean {
  return code !== undefined || example !== undefined;
}

/**
 * Adds the header Retry-After if the document lists it for this response. Its value in seconds is `retry_after_seconds`
 * of the body, or else `retryAfterSeconds` of spec/rules/test-tasks.yaml.
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

/**
 * A rule that a schema names under `x-rules`. Receives a body that conforms to the schema. Returns the refusals of the
 * body, or an empty list if it is allowed.
 */
type BodyRule = (rules: RuleBook, body: JsonObject) => readonly Problem[];

const bodyRules: Readonly<Record<string, BodyRule>> = {
  'v2.thinkingLevels': (rules, body) =>
    levelRefusals(rules, { version: 'v2', model: text(body['llm']), level: text(body['thinkingLevel']) }),
  'v3.thinkingLevels': (rules, body) =>
    isFollowUp(body)
      ? []
      : levelRefusals(rules, { version: 'v3', model: text(body['model']), level: text(body['thinkingLevel']) }),
  'v3.ownKey': (rules, body) => (isFollowUp(body) ? [] : ownKeyRefusals(rules, body)),
  'v4.modelParams': (rules, body) => paramsRefusals(rules, body),
};

/**
 * Returns the refusal of the first of the named rules that a body violates; null if it violates none. A V3 follow-up
 * violates none, because these rules depend on the session's model and the mock stores no sessions. Throws for an
 * unknown rule name.
 */
function checkRules(rules: RuleBook, names: readonly string[], body: JsonValue | undefined): Problem | null {
  if (!isJsonObject(body)) return null;
  for (const name of names) {
    const rule = bodyRules[name];
    if (rule === undefined)
      throw new Error(`x-rules: found ${name}, expected one of ${Object.keys(bodyRules).join(', ')}`);
    const refused = rule(rules, body);
    if (refused.length > 0) return validationProblem(refused.flatMap((found) => problemDetails(found, rules)));
  }
  return null;
}

function levelRefusals(rules: RuleBook, query: Parameters<typeof checkThinkingLevel>[1]): readonly Problem[] {
  const refusal = checkThinkingLevel(rules, query);
  return refusal === null ? [] : [problem(refusal.code, refusal.values, ['body', ...refusal.path])];
}

function ownKeyRefusals(rules: RuleBook, body: JsonObject): readonly Problem[] {
  const ownKey = body['useOwnKey'] === true || body['use_own_key'] === true;
  const refusal = checkOwnKey(rules, { model: text(body['model']), ownKey });
  return refusal === null ? [] : [problem(refusal.code, refusal.values, ['body', ...refusal.path])];
}

function paramsRefusals(rules: RuleBook, body: JsonObject): readonly Problem[] {
  const given = body['modelParams'];
  const params = isJsonObject(given) ? given : undefined;
  const refusals = listModelParamsRefusals(rules, { model: text(body['model']), params });
  return refusals.map((refusal) => problem(refusal.code, refusal.values, ['body', ...refusal.path]));
}

function isFollowUp(body: JsonObject): boolean {
  return typeof body['sessionId'] === 'string';
}

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A creator of responses to accepted requests. */
interface Answerer {
  /**
   * Returns the documented response that the request selects, by default the first example of the success status. With
   * `dynamic`, returns a body that is generated from the schema.
   */
  answer(route: MockRoute, wanted: Wanted): Promise<HttpReply>;
}

/** Defaults for requests without a `Prefer` header. */
interface AnswererOptions {
  readonly dynamic: boolean;
  /** Returns a random number from 0 to below 1, from which seeds of generated responses are made. */
  readonly random: () => number;
}

/** Configuration of Prism without validation, because requests are validated before they reach Prism. */
const prismConfig = {
  isProxy: false,
  validateRequest: false,
  validateResponse: false,
  checkSecurity: false,
  errors: false,
  upstreamProxy: undefined,
} as const;

/**
 * Maximum number of attempts to generate a body that conforms to its schema. If all attempts fail, the example is
 * returned.
 */
const attempts = 5;

type Prism = ReturnType<typeof createInstance>;

/** Creates an answerer that uses Prism to read examples from the documents, or to generate data from the schemas. */
function createAnswerer({ dynamic, random }: AnswererOptions): Answerer {
  const prism = createInstance(
    { ...prismConfig, mock: { dynamic: false } },
    { logger: createLogger('mock', { level: 'silent' }) },
  );
  return {
    async answer(route, wanted) {
      const status = wanted.code ?? route.successStatus;
      if (
        (wanted.dynamic ?? dynamic) &&
        wanted.example === undefined &&
        route.validators.responses.of(status) !== undefined
      ) {
        const seed = wanted.seed ?? String(Math.floor(random() * 2 ** 32));
        const invented = await invent(prism, route, { ...wanted, seed });
        if (invented !== null) return invented;
      }
      return showExample(prism, route, wanted);
    },
  };
}

async function showExample(prism: Prism, route: MockRoute, wanted: Wanted): Promise<HttpReply> {
  const shown = await ask(prism, route, { ...wanted, dynamic: false });
  if (shown === null) throw new Error(`Prism has no answer for ${route.id} ${JSON.stringify(wanted)}`);
  return shown;
}

async function invent(prism: Prism, route: MockRoute, wanted: Wanted): Promise<HttpReply | null> {
  const { body: shown } = await showExample(prism, route, wanted);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const invented = await ask(prism, route, { ...wanted, dynamic: true, seed: `${wanted.seed ?? ''}:${attempt}` });
    if (invented === null) continue;
    const body = followExample(invented.body, shown);
    if (route.validators.responses.of(invented.status)?.(body) === true) return { ...invented, body };
  }
  return null;
}

/**
 * Makes a generated value consistent for clients. Members such as states and cursors get the values of the example. A
 * list is cut to the length of the example's list, if that list contains objects.
 */
function followExample(invented: unknown, shown: unknown): unknown {
  if (Array.isArray(invented) && Array.isArray(shown))
    return shown.some(isJsonObject)
      ? invented.slice(0, shown.length).map((item, at) => followExample(item, shown[at]))
      : invented;
  if (!isJsonObject(invented) || !isJsonObject(shown)) return invented;
  const names = Object.keys(invented).filter((name) => Object.hasOwn(shown, name));
  const followed = names.map((name) => [
    name,
    mock.followed.some((one) => one === name) ? shown[name] : followExample(invented[name], shown[name]),
  ]);
  return { ...invented, ...Object.fromEntries(followed) };
}

async function ask(
  prism: Prism,
  route: MockRoute,
  { code, example, dynamic, seed }: Wanted,
): Promise<HttpReply | null> {
  // Prism modifies its configuration, so each request gets a new object.
  const settings = {
    dynamic: dynamic ?? false,
    ...(code === undefined ? {} : { code }),
    ...(example === undefined ? {} : { exampleKey: example }),
    ...(seed === undefined ? {} : { seed }),
  };
  const { method, path } = route.operation;
  const input = { method: prismMethod(method), url: { path: path.replaceAll(/\{\w+\}/g, 'x') }, headers: {} };
  const answered = await prism.request(input, [route.operation], { ...prismConfig, mock: settings })();
  if (answered._tag === 'Left') return null;
  const { statusCode, body } = answered.right.output;
  return { status: statusCode, body };
}

const prismMethods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

function prismMethod(method: string): (typeof prismMethods)[number] {
  const known = prismMethods.find((candidate) => candidate === method);
  if (known === undefined) throw new Error(`found the method ${method}, expected one of ${prismMethods.join(', ')}`);
  return known;
}
