import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { shownPath } from './shown-path.ts';
import type { SpanIds, Tracer } from './tracer.ts';

/** What of a request is known at its end. */
export interface TracedRequest {
  /** An operation such as `v4 createRun`; undefined where none was found. */
  readonly operation: string | undefined;
  /** The pattern of its address; undefined where nothing takes it. */
  readonly route: string | undefined;
}

/** Methods of RFC 9110 and 5789; others could be as many as a caller likes. */
const methods: ReadonlySet<string> = new Set('GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT'.split(' '));
/** What machines ask every few seconds to see whether it answers. */
const untracedRoutes: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/**
 * Draws a span around every request that a server answers, named as the semantic conventions of HTTP have it. Answers the span of
 * a request while there is one.
 */
export function traceRequests(
  app: FastifyInstance,
  tracer: Pick<Tracer, 'request'>,
  known: (request: FastifyRequest) => TracedRequest,
): (request: FastifyRequest) => SpanIds | undefined {
  const spans = new WeakMap<FastifyRequest, SpanIds>();
  app.addHook('onRequest', (request, reply, done) => {
    if (untracedRoutes.has(request.routeOptions.url ?? '')) return done();
    const { traceparent } = request.headers;
    const span = tracer.request(typeof traceparent === 'string' ? traceparent : undefined);
    spans.set(request, span.ids);
    // Also for a client that goes away before its answer, of which no hook tells.
    reply.raw.once('close', () => span.end(endOf(request, reply, known(request))));
    span.run(done);
  });
  return (request) => spans.get(request);
}

function endOf(
  request: FastifyRequest,
  { raw }: FastifyReply,
  { operation, route }: TracedRequest,
): Parameters<ReturnType<Tracer['request']>['end']>[0] {
  const method = methods.has(request.method) ? request.method : '_OTHER';
  const { statusCode: status } = raw;
  const failure = !raw.writableFinished ? 'aborted' : status >= 500 ? String(status) : undefined;
  return {
    name: route === undefined ? (method === '_OTHER' ? 'HTTP' : method) : `${method} ${route}`,
    ...(failure === undefined ? {} : { failure }),
    facts: {
      'http.request.method': method,
      'http.response.status_code': status,
      'url.scheme': 'http',
      'url.path': shownPath(request.url),
      'svc.request.id': request.id,
      ...(route === undefined ? {} : { 'http.route': route }),
      ...(operation === undefined ? {} : { 'svc.operation': operation }),
    },
  };
}
