import type { IncomingMessage, ServerResponse } from 'node:http';
import { shownPath } from './request-scope.ts';
import type { SpanIds, Tracer } from '#lib/tracer.ts';

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

/** A request, by whatever way it is answered. */
export interface Traceable {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Asked at its end. */
  readonly known: () => TracedRequest;
}

/** Draws the spans of a server's requests. */
export interface RequestTraces {
  /** Does the work for a request in a span around it, named as the semantic conventions of HTTP have it. */
  run(traceable: Traceable, work: () => void): void;
  /** The span of an answer while there is one. */
  spanOf(response: ServerResponse): SpanIds | undefined;
}

/** Returns whether requests to a route pattern are excluded from traces. */
export function isUntraced(route: string | undefined): boolean {
  return untracedRoutes.has(route ?? '');
}

/** Spans around every request that a server answers. */
export function createRequestTraces(tracer: Pick<Tracer, 'request'>): RequestTraces {
  const spans = new WeakMap<ServerResponse, SpanIds>();
  return {
    run(traceable, work) {
      const { traceparent } = traceable.request.headers;
      const span = tracer.request(typeof traceparent === 'string' ? traceparent : undefined);
      spans.set(traceable.response, span.ids);
      // Also for a client that goes away before its answer, of which nothing else tells.
      traceable.response.once('close', () => span.end(endOf(traceable)));
      span.run(work);
    },
    spanOf: (response) => spans.get(response),
  };
}

function endOf({ id, request, response, known }: Traceable): Parameters<ReturnType<Tracer['request']>['end']>[0] {
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
