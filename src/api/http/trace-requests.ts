import type { IncomingMessage, ServerResponse } from 'node:http';
import { shownPath } from './request-scope.ts';
import type { SpanIds, Tracer } from '#lib/tracer.ts';

/** Operation and route of a request, known when it ends. */
export interface TracedRequest {
  /** An operation such as `v4 createRun`; undefined without a match. */
  readonly operation: string | undefined;
  /** The route pattern; undefined without a match. */
  readonly route: string | undefined;
}

/**
 * Methods of RFC 9110 and 5789. Other methods are not used as span names, because a client could send any number of
 * them.
 */
const methods: ReadonlySet<string> = new Set('GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT'.split(' '));
/** Health checks, which machines send every few seconds. */
const untracedRoutes: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** A request to trace, served by Fastify or by the direct path. */
export interface Traceable {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Returns the operation; called when the request ends. */
  readonly known: () => TracedRequest;
}

/** Records spans for the requests of a server. */
export interface RequestTraces {
  /** Runs the work of a request in a span, named by the semantic conventions of HTTP. */
  run(traceable: Traceable, work: () => void): void;
  /** Returns the span of a response; undefined without one. */
  findSpan(response: ServerResponse): SpanIds | undefined;
}

/** Returns whether requests to a route pattern are excluded from traces. */
export function isUntraced(route: string | undefined): boolean {
  return untracedRoutes.has(route ?? '');
}

/** Creates spans around every request of a server. */
export function createRequestTraces(tracer: Pick<Tracer, 'request'>): RequestTraces {
  const spans = new WeakMap<ServerResponse, SpanIds>();
  return {
    run(traceable, work) {
      const { traceparent } = traceable.request.headers;
      const span = tracer.request(typeof traceparent === 'string' ? traceparent : undefined);
      spans.set(traceable.response, span.ids);
      // Also ends the span of a client that disconnects before its response.
      traceable.response.once('close', () => span.end(describeEnd(traceable)));
      span.run(work);
    },
    findSpan: (response) => spans.get(response),
  };
}

function describeEnd({ id, request, response, known }: Traceable): Parameters<ReturnType<Tracer['request']>['end']>[0] {
  const { operation, route } = known();
  const given = request.method ?? '';
  const method = methods.has(given) ? given : '_OTHER';
  const { statusCode: status } = response;
  const failure = !response.writableFinished ? 'aborted' : status >= 500 ? String(status) : undefined;
  return {
    name: route === undefined ? (method === '_OTHER' ? 'HTTP' : method) : `${method} ${route}`,
    ...(failure === undefined ? {} : { failure }),
    facts: {
      'http.request.method': method,
      'http.response.status_code': status,
      'url.scheme': 'http',
      'url.path': shownPath(request.url ?? ''),
      'svc.request.id': id,
      ...(route === undefined ? {} : { 'http.route': route }),
      ...(operation === undefined ? {} : { 'svc.operation': operation }),
    },
  };
}
