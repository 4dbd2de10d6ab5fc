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
import { wireRequest } from './wire-request.ts';

/**
 * The network edge of mock and backend: bytes in, bytes out, every request answered, whatever its method, path or bytes. What
 * an answer says is decided by `answer`. More routes may be added; what no route takes goes to `answer`.
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
      write(reply, await deps.answer(wireRequest(request.raw, { ...how, response: reply.raw, stream, matched })));
    } catch (error) {
      write(reply, onError(error, request));
    }
  };
  const app: FastifyInstance = fastify({
    loggerInstance: deps.log,
    // Its own request lines carry whole addresses; ours are written below.
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
    ...connectionOptions(rules),
    serverFactory: (framework, options) => ways.open(framework, options),
    clientErrorHandler: (error, socket) => clientError(error, socket),
    exposeHeadRoutes: false,
    genReqId: ({ headers }) => requestId(headers['x-request-id']),
    // Its child loggers would name the request a second time.
    childLoggerFactory: (log) => log,
    // A path that cannot be decoded; our own routing hands such a parameter to its format, which refuses it.
    // No hook runs for it.
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
  addHooks(app, { ...deps, ...common, known: (request) => known(request, routes) });
  app.addHook('preClose', async () => {
    // From now on new requests are sent away, which the framework does.
    ways.straight = null;
    // What this turn has answered is sent at its end.
    await setImmediate();
  });
  // Bodies stay unread streams: the key comes first, then content type and JSON are checked by our own pipeline.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  app.setErrorHandler((error, request, reply) => write(reply, onError(error, request)));
  // Every path that no route takes, and every method that fastify does not know: the path decides between 404 and 405. Answered after
  // the hooks of onRequest and before fastify judges the body, which it refuses for some methods without a content type.
  app.addHook('preParsing', (request, reply, ...[payload, done]) => {
    if (request.is404) void answer(request, reply);
    else done(null, payload);
  });
  return app;
}

/** Where a server's requests go: past the framework, or to it. */
interface Ways {
  /** Null where, and as long as, everything is the framework's. */
  straight: AnswerStraight | null;
  open(framework: RequestListener, options: object): ReturnType<typeof createServer>;
}

function createWays({ straightBelow: below, isHooked = () => false }: HttpServerDeps): Ways {
  const ways: Ways = {
    straight: null,
    // As the framework makes its own, with the same options.
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

/** Pipelined requests of a connection that are served at once. */
const pipelinedMax = 32;

/** Serves further pipelined requests after the answers before them: hundreds in one packet would block the event loop. */
function takeTurns(serve: RequestListener): RequestListener {
  const pipelined = new WeakMap<Socket, number>();
  return (request, response) => {
    // The answer to a pipelined request has its connection when the answers before it were sent.
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

/** What is done for every request, by whatever way it is answered. */
interface Common {
  readonly admit: Parameters<typeof createStraightAnswers>[0]['admit'];
  readonly enter: Enter;
  readonly traces: RequestTraces | null;
}

/** Refuses requests that come over one connection too many, or do not say to whom. */
function createAdmission(
  app: FastifyInstance,
  { connectionsPerAddress: max, trustedProxies }: HttpServerDeps,
): Common['admit'] {
  if (max === undefined) return refusalWithoutHost;
  const refusalOfConnection = limitConnections(app.server, { max, isProxy: trustedProxies });
  return (request, response) => refusalOfConnection(request, response) ?? refusalWithoutHost(request);
}

interface HookDeps extends Omit<HttpServerDeps, 'enter'>, Common {
  known(request: FastifyRequest): TracedRequest;
}

/** Does the same for requests of the framework as is done for those that go past it. */
function addHooks(app: FastifyInstance, deps: HookDeps): void {
  const { scope, traces, admit, enter, rules } = deps;
  if (scope !== undefined) app.addHook('onRequest', (request, _reply, done) => scope.run(request.id, done));
  if (traces !== null)
    app.addHook('onRequest', (request, { raw: response }, done) => {
      if (isUntraced(request.routeOptions.url)) return done();
      const { id, raw } = request;
      traces.run({ id, request: raw, response, known: () => deps.known(request) }, done);
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
    const { operation = request.routeOptions.url ?? 'unknown' } = deps.known(request);
    tell({ id: request.id, request: request.raw, response, operation, ms });
    done();
  });
}

/** The operation that answers a request, and the pattern of its address. */
function known(request: FastifyRequest, routes: WeakMap<FastifyRequest, NamedRoute>): TracedRequest {
  const route = routes.get(request);
  return route === undefined ? { operation: undefined, route: request.routeOptions.url } : namedOperation(route);
}

/** Names the request, and says what every answer says. */
function guard(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  for (const [name, value] of guardHeaders) if (!reply.hasHeader(name)) reply.header(name, value);
}

function write(reply: FastifyReply, answer: HttpReply): FastifyReply {
  reply.code(answer.status);
  for (const [name, value] of Object.entries(answer.headers ?? {})) reply.header(name, value);
  return reply.send(answer.body);
}
