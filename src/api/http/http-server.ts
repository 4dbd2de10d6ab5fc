import type { IncomingMessage, ServerOptions } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController, fastify } from 'fastify';
import { type AnswerRequest, createAnswers, type HookHeaders, writeReply } from './answer-requests.ts';
import {
  answerClientErrors,
  connectionOptions,
  limitConnections,
  refusalWithoutHost,
  takeExpectations,
} from './connections.ts';
import { type Admit, createEdge } from './edge.ts';
import { type HttpServerDeps } from './http-server-deps.ts';
import { createServer, guardHeaders } from '#lib/http.ts';
import { toRefusal } from './refuse.ts';
import { type EdgeRequest, requestId, toEdgeRequest } from './request-scope.ts';

/**
 * Creates the HTTP server of mock and backend. It answers every request, whatever its method, path or bytes. All
 * requests pass one edge. Fastify serves the routes that are added to it; the function `answer` answers every other
 * request.
 */
export function createHttpServer(deps: HttpServerDeps): FastifyInstance {
  const { rules } = deps;
  const answer = createAnswers(deps);
  const edges = new WeakMap<IncomingMessage, EdgeRequest>();
  // A request that is injected without a connection has passed no edge.
  const findEdge: FindEdge = ({ raw, id }, { raw: response }) =>
    edges.get(raw) ?? { ...toEdgeRequest(raw, response), id };
  const isDirect = createIsDirect(deps);
  let isClosing = false;
  const app: FastifyInstance = fastify({
    loggerInstance: deps.log,
    // Fastify's own request lines contain whole URLs; response-log.ts writes shortened URLs.
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
    ...connectionOptions(rules),
    // Created with the same options as Fastify's own server.
    serverFactory(framework, { http, keepAliveTimeout }: { http?: ServerOptions; keepAliveTimeout?: number }) {
      const server = createServer({ ...http, ...(keepAliveTimeout === undefined ? {} : { keepAliveTimeout }) });
      const serve = (edge: EdgeRequest): void => {
        // During shutdown Fastify rejects new requests. For the target * it runs no hook.
        if (!isClosing && (edge.request.url === '*' || isDirect(edge.request))) return answer(edge);
        edges.set(edge.request, edge);
        framework(edge.request, edge.response);
      };
      server.on('request', createEdge({ ...deps, admit: (request, response) => admit(request, response) }, serve));
      return server;
    },
    clientErrorHandler: (error, socket) => clientError(error, socket),
    exposeHeadRoutes: false,
    genReqId: (raw) => edges.get(raw)?.id ?? requestId(raw.headers['x-request-id']),
    // Fastify's child loggers would add the request id a second time.
    childLoggerFactory: (log) => log,
    // Called for a path that Fastify cannot decode; no Fastify hook runs for such a request. `answer` passes the
    // parameter to the validation of its format, which refuses it.
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      answer(findEdge(request, reply), takeOver(reply));
    },
  });
  const admit = createAdmission(app, deps);
  const clientError = answerClientErrors(app.server, rules);
  takeExpectations(app.server);
  app.addHook('preClose', async () => {
    isClosing = true;
    // Waits for the responses of this event-loop tick, which are sent at its end.
    await setImmediate();
  });
  addRouteHooks(app, answer, findEdge);
  app.setErrorHandler((error, request, reply) => {
    const edge = findEdge(request, reply);
    writeReply(edge, toRefusal(error, edge, deps), takeOver(reply));
  });
  return app;
}

/** Creates the predicate that tells whether a request goes to `answer` without Fastify. */
function createIsDirect({
  straightBelow,
  isHooked = () => false,
}: HttpServerDeps): (request: IncomingMessage) => boolean {
  if (straightBelow === undefined) return () => false;
  return (request) => request.url?.startsWith(straightBelow) === true && !isHooked(request);
}

/**
 * Creates the function that refuses requests of clients with too many connections, and requests without Host header.
 */
function createAdmission(app: FastifyInstance, { connectionsPerAddress: max, trustedProxies }: HttpServerDeps): Admit {
  if (max === undefined) return refusalWithoutHost;
  const refusalOfConnection = limitConnections(app.server, { max, isProxy: trustedProxies });
  return (request, response) => refusalOfConnection(request, response) ?? refusalWithoutHost(request);
}

type FindEdge = (request: FastifyRequest, reply: FastifyReply) => EdgeRequest;

/**
 * Adds the hooks for routes of Fastify, which record the matched route and add the common headers. Passes requests that
 * match no route to `answer`.
 */
function addRouteHooks(app: FastifyInstance, answer: AnswerRequest, findEdge: FindEdge): void {
  app.addHook('onRequest', (request, reply, done) => {
    findEdge(request, reply).matched = { operation: undefined, route: request.routeOptions.url };
    done();
  });
  app.addHook('onSend', (request, reply, ...[payload, done]) => {
    reply.header('x-request-id', request.id);
    for (const [name, value] of guardHeaders) if (!reply.hasHeader(name)) reply.header(name, value);
    done(null, payload);
  });
  // Bodies stay unread streams: the pipeline checks the key first, then content type and JSON.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  // Runs after the onRequest hooks, and before Fastify validates the body: for some methods Fastify refuses a body
  // without a content type. `answer` decides by the path between 404 and 405.
  app.addHook('preParsing', (request, reply, ...[payload, done]) => {
    if (request.is404) answer(findEdge(request, reply), takeOver(reply));
    else done(null, payload);
  });
}

/**
 * Prevents Fastify from sending the response. Returns the headers that hooks have set, without Content-Type and
 * Content-Length.
 */
function takeOver(reply: FastifyReply): HookHeaders {
  reply.hijack();
  const { 'content-type': _type, 'content-length': _length, ...headers } = reply.getHeaders();
  return headers;
}
