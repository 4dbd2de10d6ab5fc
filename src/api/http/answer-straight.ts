import type { IncomingMessage, ServerResponse } from 'node:http';
import { getLimit } from '#contract/rule-book.ts';
import type { Problem } from '#contract/problems.ts';
import { type Enter, requestId } from './request-scope.ts';
import type { HttpServerDeps } from './http-server-deps.ts';
import { guardHeaders } from '#lib/http.ts';
import type { NamedRoute, HttpReply } from '#contract/http-messages.ts';
import { refusalOfError, refuse } from './refuse.ts';
import { namedOperation, logResponses } from './response-log.ts';
import type { RequestTraces } from './trace-requests.ts';
import { toHttpRequest } from './http-request.ts';

/** Handles one request on the direct path. */
export type AnswerStraight = (request: IncomingMessage, response: ServerResponse) => void;

/** Dependencies of {@link createStraightAnswers}. */
export interface StraightDeps extends Omit<HttpServerDeps, 'enter'> {
  /** Returns why a request is rejected unread; null to handle it. A rejection closes its connection. */
  readonly admit: (request: IncomingMessage, response: ServerResponse) => Problem | null;
  readonly enter: Enter;
  readonly traces: RequestTraces | null;
}

/** A request in flight. */
interface RequestInFlight {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The matched route; null until it is known. */
  route: NamedRoute | null;
}

/**
 * Creates the direct path of API requests, without Fastify. Fastify's own routing and hooks would make a poll take half
 * as long again.
 */
export function createStraightAnswers(deps: StraightDeps): AnswerStraight {
  const { scope, traces } = deps;
  const tell = logResponses(deps, traces);
  const named = ({ route }: RequestInFlight) =>
    route === null ? { operation: undefined, route: undefined } : namedOperation(route);
  const take = createTake(deps);
  const traced = (way: RequestInFlight): void =>
    traces === null ? take(way) : traces.run({ ...way, known: () => named(way) }, () => take(way));
  return (request, response) => {
    const begunMs = performance.now();
    const way: RequestInFlight = { id: requestId(request.headers['x-request-id']), request, response, route: null };
    response.on('finish', () => {
      const { operation = 'unknown' } = named(way);
      tell({ id: way.id, request, response, operation, ms: performance.now() - begunMs });
    });
    if (scope === undefined) traced(way);
    else scope.run(way.id, () => traced(way));
  };
}

function createTake(deps: StraightDeps): (way: RequestInFlight) => void {
  const { admit, enter, rules } = deps;
  const answered = createAnswered(deps);
  return (way) => {
    const refusal = admit(way.request, way.response);
    if (refusal === null) enter(way.response, () => answered(way));
    else write(way, { ...refuse(refusal, rules), headers: { connection: 'close' } });
  };
}

function createAnswered(deps: StraightDeps): (way: RequestInFlight) => void {
  const bodyLimit = getLimit(deps.rules, 'requestBody');
  const isProxy = deps.trustedProxies;
  const batch = createResponseBatch();
  return (way) => {
    const fail = (error: unknown): void => write(way, refusalOfError(error, way, deps));
    const send = (reply: HttpReply): void =>
      batch(() => {
        try {
          write(way, reply);
        } catch (error) {
          fail(error);
        }
      });
    const { id, request, response } = way;
    const stream = hasBody(request) ? request : undefined;
    const matched = (route: NamedRoute): void => void (way.route = route);
    try {
      const reply = deps.answer(toHttpRequest(request, { id, bodyLimit, isProxy, response, stream, matched }));
      if (reply instanceof Promise) reply.then(send).catch(fail);
      else send(reply);
    } catch (error) {
      fail(error);
    }
  };
}

/** Returns whether a request has a body (RFC 9112, 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

const usualHeaders: readonly string[] = [...guardHeaders].flat();

function write({ id, response }: RequestInFlight, { status, body, headers, text = toJson(body) }: HttpReply): void {
  const lines = ['x-request-id', id, ...(headers === undefined ? usualHeaders : listHeaders(headers))];
  if (body !== undefined) lines.push('content-type', 'application/json; charset=utf-8');
  if (body !== undefined || !isBodiless(status)) lines.push('content-length', String(Buffer.byteLength(text)));
  response.writeHead(status, lines).end(text);
}

function toJson(body: unknown): string {
  return body === undefined ? '' : JSON.stringify(body);
}

/** Returns whether responses with the status have no body and therefore no Content-Length. */
function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}

/** Returns the headers of a response: its own, then those of every response. */
function listHeaders(own: Readonly<Record<string, string>>): string[] {
  const names = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  return [...Object.entries(own).flat(), ...[...guardHeaders].filter(([name]) => !names.has(name)).flat()];
}

/** Queues a response that is sent at the end of the event-loop tick, in order. */
type ResponseBatch = (send: () => void) => void;

/**
 * Creates a response batch. Waking a reader for each response costs more than writing it, so concurrent responses are
 * written together. A single response does not wait. Entries must not throw.
 */
function createResponseBatch(): ResponseBatch {
  let waiting: (() => void)[] = [];
  const flush = (): void => {
    const sending = waiting;
    waiting = [];
    for (const send of sending) send();
  };
  return (send) => {
    waiting.push(send);
    if (waiting.length === 1) setImmediate(flush);
  };
}
