import type { RequestListener, ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController, fastify } from 'fastify';
import { getLimit } from '#contract/rule-book.ts';
import { type AnswerStraight, createStraightAnswers, hasBody } from './answer-straight.ts';
import {
  answerClientErrors,
  connectionOptions,
  limitConnections,
  refusalWithoutHost,
  takeExpectations,
} from './connections.ts';
import { type Enter, enterAll, requestId } from './request-scope.ts';
import { type HttpServerDeps } from './http-server-deps.ts';
import { createServer, guardHeaders } from '#lib/http.ts';
import { refusalOfError, refuse } from './refuse.ts';
import type { NamedRoute, HttpReply } from '#contract/http-messages.ts';
import { namedOperation, logResponses } from './response-log.ts';
import { type RequestTraces, type TracedRequest, createRequestTraces, isUntraced } from './trace-requests.ts';
import { toHttpRequest } from './http-request.ts';

/**
 * Creates the HTTP server of mock and backend. It answers every request, whatever its method, path or bytes. `answer`
 * decides the content of responses; further routes may be added, and `answer` gets the requests that no route matches.
 */
export function createHttpServer(deps: HttpServerDeps): FastifyInstance {
  const { rules, tracer } = deps;
  const ways = createWays(deps);
  const routes = new WeakMap<FastifyRequest, NamedRoute>();
  const onError = (error: unknown, { id, raw }: FastifyRequest): HttpReply =>
    refusalOfError(error, { id, request: raw }, deps);
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const how = { id: request.id, bodyLimit: getLimit(rules, 'requestBody'), isProxy: deps.trustedProxies };
    const stream = hasBody(request.raw) ? request.raw : undefined;
    const matched = (route: NamedRoute): void => void routes.set(request, route);
    try {
      write(reply, await deps.answer(toHttpRequest(request.raw, { ...how, response: reply.raw, stream, matched })));
    } catch (error) {
      write(reply, onError(error, request));
    }
  };
  const app: FastifyInstance = fastify({
    loggerInstance: deps.log,
    // Fastify's own request lines contain whole URLs; response-log.ts writes shortened ones.
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
    ...connectionOptions(rules),
    serverFactory: (framework, options) => ways.open(framework, options),
    clientErrorHandler: (error, socket) => clientError(error, socket),
    exposeHeadRoutes: false,
    genReqId: ({ headers }) => requestId(headers['x-request-id']),
    // Fastify's child loggers would add the request id a second time.
    childLoggerFactory: (log) => log,
    // A path that cannot be decoded. Our own routing passes such a parameter to the validation of its format, which
    // refuses it. No hook runs for it.
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      guard(request, reply);
      void answer(request, reply);
    },
  });
  const clientError = answerClientErrors(app.server, rules);
  takeExpectations(app.server);
  const common: Common = {
    admit: createAdmission(app, deps),
    enter: enterAll(deps.enter ?? []),
    traces: tracer === undefined ? null : createRequestTraces(tracer),
  };
  ways.straight = createStraightAnswers({ ...deps, ...common });
  addHooks(app, { ...deps, ...common, describeRequest: (request) => known(request, routes) });
  app.addHook('preClose', async () => {
    // During shutdown new requests go to Fastify, which rejects them.
    ways.straight = null;
    // Responses of this event-loop tick are sent at its end.
    await setImmediate();
  });
  // Bodies stay unread streams: the pipeline checks the key first, then content type and JSON.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  app.setErrorHandler((error, request, reply) => write(reply, onError(error, request)));
  // Handles every path and method without a Fastify route; the path decides between 404 and 405. It runs after the
  // onRequest hooks and before Fastify validates the body, which it refuses for some methods without a content type.
  app.addHook('preParsing', (request, reply, ...[payload, done]) => {
    if (request.is404) void answer(request, reply);
    else done(null, payload);
  });
  return app;
}

/** The two paths of a server's requests: Fastify, or the direct path. */
interface Ways {
  /** The direct path; null when Fastify handles all requests. */
  straight: AnswerStraight | null;
  open(framework: RequestListener, options: object): ReturnType<typeof createServer>;
}

function createWays({ straightBelow: below, isHooked = () => false }: HttpServerDeps): Ways {
  const ways: Ways = {
    straight: null,
    // Created with the same options as Fastify's own server.
    open(framework, { http, keepAliveTimeout }: { http?: ServerOptions; keepAliveTimeout?: number }) {
      const server = createServer({ ...http, ...(keepAliveTimeout === undefined ? {} : { keepAliveTimeout }) });
      const serve: RequestListener = (request, response) => {
        const isStraight = below !== undefined && request.url?.startsWith(below) === true && !isHooked(request);
        if (isStraight && ways.straight !== null) ways.straight(request, response);
        else framework(request, response);
      };
      server.on('request', takeTurns(serve));
      return server;
    },
  };
  return ways;
}

/** Maximum number of pipelined requests of a connection that are served at once. */
const pipelinedMax = 32;

/**
 * Serves further pipelined requests after the responses before them: hundreds in one packet would block the event loop.
 */
function takeTurns(serve: RequestListener): RequestListener {
  const pipelined = new WeakMap<Socket, number>();
  return (request, response) => {
    // A pipelined request gets its connection when the responses before it were sent.
    if (response.socket !== null) {
      pipelined.delete(request.socket);
      return serve(request, response);
    }
    const count = (pipelined.get(request.socket) ?? 0) + 1;
    pipelined.set(request.socket, count);
    if (count > pipelinedMax) response.once('socket', () => serve(request, response));
    else serve(request, response);
  };
}

/** Functions that both paths apply to every request. */
interface Common {
  readonly admit: Parameters<typeof createStraightAnswers>[0]['admit'];
  readonly enter: Enter;
  readonly traces: RequestTraces | null;
}

/** Creates the check that rejects requests over too many connections or without Host header. */
function createAdmission(
  app: FastifyInstance,
  { connectionsPerAddress: max, trustedProxies }: HttpServerDeps,
): Common['admit'] {
  if (max === undefined) return refusalWithoutHost;
  const refusalOfConnection = limitConnections(app.server, { max, isProxy: trustedProxies });
  return (request, response) => refusalOfConnection(request, response) ?? refusalWithoutHost(request);
}

interface HookDeps extends Omit<HttpServerDeps, 'enter'>, Common {
  describeRequest(request: FastifyRequest): TracedRequest;
}

/** Adds Fastify hooks that apply the same functions as the direct path. */
function addHooks(app: FastifyInstance, deps: HookDeps): void {
  const { scope, traces, admit, enter, rules } = deps;
  if (scope !== undefined) app.addHook('onRequest', (request, _reply, done) => scope.run(request.id, done));
  if (traces !== null)
    app.addHook('onRequest', (request, { raw: response }, done) => {
      if (isUntraced(request.routeOptions.url)) return done();
      const { id, raw } = request;
      traces.run({ id, request: raw, response, known: () => deps.describeRequest(request) }, done);
    });
  app.addHook('onRequest', ({ raw }, reply, done) => {
    const refusal = admit(raw, reply.raw);
    if (refusal === null) return enter(reply.raw, done);
    void write(reply.header('connection', 'close'), refuse(refusal, rules));
  });
  app.addHook('onSend', (request, reply, ...[payload, done]) => {
    guard(request, reply);
    done(null, payload);
  });
  const tell = logResponses(deps, traces);
  app.addHook('onResponse', (request, { raw: response, elapsedTime: ms }, done) => {
    const { operation = request.routeOptions.url ?? 'unknown' } = deps.describeRequest(request);
    tell({ id: request.id, request: request.raw, response, operation, ms });
    done();
  });
}

/** Returns the operation and route pattern of a request. */
function known(request: FastifyRequest, routes: WeakMap<FastifyRequest, NamedRoute>): TracedRequest {
  const route = routes.get(request);
  return route === undefined ? { operation: undefined, route: request.routeOptions.url } : namedOperation(route);
}

/** Sets the request id and the headers of every response. */
function guard(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  for (const [name, value] of guardHeaders) if (!reply.hasHeader(name)) reply.header(name, value);
}

function write(reply: FastifyReply, answer: HttpReply): FastifyReply {
  reply.code(answer.status);
  for (const [name, value] of Object.entries(answer.headers ?? {})) reply.header(name, value);
  return reply.send(answer.body);
}
