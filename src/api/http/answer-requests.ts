import type { IncomingMessage } from 'node:http';
import { getLimit } from '#contract/rule-book.ts';
import { guardHeaders } from '#lib/http.ts';
import type { HttpReply, NamedRoute } from '#contract/http-messages.ts';
import { toHttpRequest } from './http-request.ts';
import type { HttpServerDeps } from './http-server-deps.ts';
import { toRefusal } from './refuse.ts';
import type { EdgeRequest } from './request-scope.ts';
import { namedOperation } from './response-log.ts';

/** Headers that hooks have set, by lower-case name. */
export type HookHeaders = Readonly<Record<string, number | string | readonly string[] | undefined>>;

/**
 * Function that answers a request. `headers` are headers that hooks of Fastify have set. A header of the response
 * replaces a hook header with the same name.
 */
export type AnswerRequest = (edge: EdgeRequest, headers?: HookHeaders) => void;

/**
 * Creates the function that answers requests with `deps.answer`, and writes the responses of one event-loop tick
 * together.
 */
export function createAnswers(deps: HttpServerDeps): AnswerRequest {
  const bodyLimit = getLimit(deps.rules, 'requestBody');
  const isProxy = deps.trustedProxies;
  const batch = createResponseBatch();
  return (edge, headers) => {
    const { id, request, response } = edge;
    const fail = (error: unknown): void => writeReply(edge, toRefusal(error, edge, deps), headers);
    const send = (reply: HttpReply): void =>
      batch(() => {
        try {
          writeReply(edge, reply, headers);
        } catch (error) {
          fail(error);
        }
      });
    const stream = hasBody(request) ? request : undefined;
    const matched = (route: NamedRoute): void => void (edge.matched = namedOperation(route));
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
function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

const usualHeaders: readonly string[] = [...guardHeaders].flat();

/**
 * Writes a response with its own and the common headers: request id, security headers, Content-Type and Content-Length.
 */
export function writeReply(
  { id, response }: EdgeRequest,
  { status, body, headers, text = toJson(body) }: HttpReply,
  others?: HookHeaders,
): void {
  const isUsual = headers === undefined && others === undefined;
  const lines = ['x-request-id', id, ...(isUsual ? usualHeaders : listHeaders(headers, others ?? {}))];
  if (body !== undefined && headers?.['content-type'] === undefined)
    lines.push('content-type', 'application/json; charset=utf-8');
  if (body !== undefined || !isBodiless(status)) lines.push('content-length', String(Buffer.byteLength(text)));
  response.writeHead(status, lines).end(text);
}

function toJson(body: unknown): string {
  return body === undefined ? '' : JSON.stringify(body);
}

/** Returns whether a status allows no response body, and therefore no Content-Length. */
function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}

/**
 * Returns a list in which each header name is followed by its value: first the headers of the response, then those of
 * hooks, then the common headers. A name that occurred before is skipped.
 */
function listHeaders(own: HttpReply['headers'], others: HookHeaders): string[] {
  const lines: string[] = [];
  const names = new Set<string>();
  for (const [name, value] of [...Object.entries(own ?? {}), ...Object.entries(others), ...guardHeaders]) {
    if (value === undefined || names.has(name.toLowerCase())) continue;
    names.add(name.toLowerCase());
    for (const line of [value].flat()) lines.push(name, String(line));
  }
  return lines;
}

/** Function that queues a response. Queued responses are sent at the end of the event-loop tick, in order. */
type ResponseBatch = (send: () => void) => void;

/**
 * Creates a response batch, which sends all responses of an event-loop tick together at its end. Otherwise each
 * response would wake the receiving process, which costs more than writing the response. The queued functions must not
 * throw.
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
