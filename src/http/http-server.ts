import { Readable } from 'node:stream';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  fastify,
} from 'fastify';
import { limitOf } from '#domain/limit-of.ts';
import { problem } from '#domain/problems.ts';
import type { RuleBook } from '#domain/rule-book.ts';
import { Unavailable } from '#domain/unavailable.ts';
import { clientAddress } from './client-address.ts';
import { ClientGone, isClientGone } from './client-gone.ts';
import {
  type TrustedProxies,
  answerClientErrors,
  connectionOptions,
  limitConnections,
  requireHost,
  takeExpectations,
} from './connections/index.ts';
import { guardHeaders } from './guard-headers.ts';
import { readBody } from './read-body.ts';
import { refuse } from './refuse.ts';
import { requestId } from './request-id.ts';
import type { RequestScope } from './request-scope.ts';
import type { NamedRoute } from './match.ts';
import { shownPath } from './shown-path.ts';
import { traceRequests } from './trace-requests.ts';
import { idsInLog } from './ids-in-log.ts';
import type { Tracer } from './tracer.ts';
import type { WireReply, WireRequest } from './wire.ts';

/** What the server needs besides the network. */
export interface HttpServerParts {
  answer(request: WireRequest): Promise<WireReply>;
  readonly rules: RuleBook;
  readonly log: FastifyBaseLogger;
  /** Connections that one address may hold. @defaultValue any number */
  readonly connectionsPerAddress?: number;
  /** Proxies whose `X-Forwarded-For` is believed. @defaultValue none */
  readonly trustedProxies?: TrustedProxies;
  /** Told of every request that was answered. @defaultValue nobody wants to know */
  readonly observe?: (answered: Answered) => void;
  /** Knows the request of every line that is logged. @defaultValue only the lines of the server itself name it */
  readonly scope?: RequestScope;
  /** Draws requests over time. @defaultValue nobody does */
  readonly tracer?: Tracer;
}

/** What is counted of a request: nothing that a caller could have as many of as he likes. */
export interface Answered {
  /** An operation such as `v4 createRun`, the pattern of an address such as `/screenshots/:key`, or `unknown`. */
  readonly operation: string;
  readonly status: number;
  /** Until the last byte of the answer was handed to the network. */
  readonly ms: number;
}

const shownLength = 80;
/** Levels at which no line is written for a request, so that none has to be made. */
const quietLevels: ReadonlySet<string> = new Set(['warn', 'error', 'fatal', 'silent']);

/**
 * The network edge of mock and backend: bytes in, bytes out, every request answered, whatever its method, path or bytes. What
 * an answer says is decided by `answer`. More routes may be added; what no route takes goes to `answer`.
 */
export function createHttpServer(parts: HttpServerParts): FastifyInstance {
  const routes = new WeakMap<FastifyRequest, NamedRoute>();
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const matched = (route: NamedRoute): void => void routes.set(request, route);
    const wire = wireRequest(request, limitOf(parts.rules, 'requestBody'));
    return write(reply, await parts.answer({ ...wire, matched }));
  };
  const app: FastifyInstance = fastify({
    loggerInstance: parts.log,
    // Its own request lines carry whole addresses; ours are written below.
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
    ...connectionOptions(parts.rules),
    ...(parts.trustedProxies === undefined ? {} : { trustProxy: parts.trustedProxies }),
    clientErrorHandler: (error, socket) => clientError(error, socket),
    exposeHeadRoutes: false,
    genReqId: ({ headers }) => requestId(headers['x-request-id']),
    // Its child loggers would name the request a second time.
    childLoggerFactory: (log) => log,
    // A path that cannot be decoded; our own routing hands such a parameter to its format, which refuses it.
    // No hook runs for it.
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      guard(request, reply);
      void handler(request, reply).catch((error: unknown) => write(reply, onError(error, request, parts)));
    },
  });
  const clientError = answerClientErrors(app.server, parts.rules);
  takeExpectations(app.server);
  requireHost(app, parts.rules);
  const { connectionsPerAddress: max, trustedProxies: isProxy = () => false } = parts;
  if (max !== undefined) limitConnections(app, { max, isProxy }, parts.rules);
  // Bodies stay unread streams: the key comes first, then content type and JSON are checked by our own pipeline.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  const { scope, tracer } = parts;
  if (scope !== undefined) app.addHook('onRequest', (request, _reply, done) => scope.run(request.id, done));
  const spanOf = tracer === undefined ? null : traceRequests(app, tracer, (request) => known(request, routes));
  app.addHook('onSend', (request, reply, ...[payload, done]) => {
    guard(request, reply);
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { operation = request.routeOptions.url ?? 'unknown' } = known(request, routes);
    const { elapsedTime: ms, statusCode: status } = reply;
    parts.observe?.({ operation, status, ms });
    if (quietLevels.has(parts.log.level)) return done();
    const { id, method, url } = request;
    const line = { request: id, ...idsInLog(spanOf?.(request)), operation, method, path: shownPath(url), status };
    parts.log.info({ ...line, ms: Math.round(ms) }, 'answered');
    done();
  });
  app.setErrorHandler((error, request, reply) => write(reply, onError(error, request, parts)));
  // Every path that no route takes, and every method that fastify does not know: the path decides between 404 and 405.
  app.setNotFoundHandler(handler);
  return app;
}

/** The operation that answers a request, and the pattern of its address. */
function known(
  request: FastifyRequest,
  routes: WeakMap<FastifyRequest, NamedRoute>,
): { readonly operation: string | undefined; readonly route: string | undefined } {
  const route = routes.get(request);
  if (route === undefined) return { operation: undefined, route: request.routeOptions.url };
  return { operation: `${route.version} ${route.id}`, route: route.path };
}

/** Names the request, and says what every answer says. */
function guard(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  for (const [name, value] of guardHeaders) if (!reply.hasHeader(name)) reply.header(name, value);
}

function write(reply: FastifyReply, answer: WireReply): FastifyReply {
  reply.code(answer.status);
  for (const [name, value] of Object.entries(answer.headers ?? {})) reply.header(name, value);
  return reply.send(answer.body);
}

function wireRequest(request: FastifyRequest, bodyLimit: number): WireRequest {
  const [path = '', ...query] = request.url.split('?');
  const stream = request.body instanceof Readable ? request.body : undefined;
  return {
    id: request.id,
    address: clientAddress(request),
    method: request.method,
    path,
    query: new URLSearchParams(query.join('?')),
    headers: plainHeaders(request),
    bodyLimit,
    readBody: () => readBody(stream, bodyLimit),
  };
}

function plainHeaders(request: FastifyRequest): Record<string, string | undefined> {
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(request.headers))
    headers[name] = Array.isArray(value) ? value.join(', ') : value;
  return headers;
}

/** What fastify itself refuses, for example a content type that is none; anything else is a bug: its stack goes to the log only. */
function onError(error: unknown, request: FastifyRequest, { rules, log }: HttpServerParts): WireReply {
  if (isClientGone(error, request.raw)) {
    const line = { request: request.id, method: request.method, path: shownPath(request.url) };
    log.info(line, 'the client went away');
    return refuse(problem('request_not_http', { reason: new ClientGone().message }), rules);
  }
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  if (status === 415) {
    const found = String(request.headers['content-type']).slice(0, shownLength);
    return refuse(problem('wrong_content_type', { found }), rules);
  }
  if (error instanceof Unavailable) {
    // Without its stack: there may be many.
    log.warn({ request: request.id, reason: error.message, cause: String(error.cause) }, 'request failed');
    return refuse(problem(error.code, { seconds: String(limitOf(rules, 'databaseRetryAfter') / 1_000) }), rules);
  }
  if (status >= 400 && status < 500 && error instanceof Error)
    return refuse(problem('validation_failed', { reason: error.message }), rules);
  log.error(
    { err: error, request: request.id, method: request.method, path: shownPath(request.url) },
    'request failed',
  );
  return refuse(problem('internal_error', { requestId: request.id }), rules);
}
