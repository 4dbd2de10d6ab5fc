import type { ServerResponse } from 'node:http';
import { type EdgeRequest, shownPath } from './request-scope.ts';
import type { SpanIds, Tracer } from '#lib/tracer.ts';

/**
 * Methods of RFC 9110 and 5789. Other methods are not used as span names, because a client could send any number of
 * methods.
 */
const methods: ReadonlySet<string> = new Set('GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT'.split(' '));
/** Name of every other method in traces, as OpenTelemetry defines it. */
const otherMethod = '_OTHER';
/** URLs of health checks. They get no span, because machines send them every few seconds. */
const untracedUrls: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz']);

/** Tracing of the requests of a server. */
export interface RequestTraces {
  /**
   * Runs the work of a request in a tracing span with the names of the OpenTelemetry conventions for HTTP. Health
   * checks get no span.
   */
  run(edge: EdgeRequest, work: () => void): void;
  /** Returns the span of a response; undefined without one. */
  findSpan(response: ServerResponse): SpanIds | undefined;
}

/** Creates the tracing of a server: every request except health checks gets a span. */
export function createRequestTraces(tracer: Pick<Tracer, 'request'>): RequestTraces {
  const spans = new WeakMap<ServerResponse, SpanIds>();
  return {
    run(edge, work) {
      if (untracedUrls.has(edge.request.url)) return work();
      const { traceparent } = edge.request.headers;
      const span = tracer.request(typeof traceparent === 'string' ? traceparent : undefined);
      spans.set(edge.response, span.ids);
      // Also ends the span of a client that disconnects before its response.
      edge.response.once('close', () => span.end(describeEnd(edge)));
      span.run(work);
    },
    findSpan: (response) => spans.get(response),
  };
}

/** Returns the failure that a span reports: a disconnect of the client, or a status of 500 or above. */
function describeFailure({ writableFinished, statusCode }: ServerResponse): string | undefined {
  if (!writableFinished) return 'aborted';
  return statusCode >= 500 ? String(statusCode) : undefined;
}

function nameSpan(method: string, route: string | undefined): string {
  if (route !== undefined) return `${method} ${route}`;
  return method === otherMethod ? 'HTTP' : method;
}

function describeEnd({
  id,
  request,
  response,
  matched,
}: EdgeRequest): Parameters<ReturnType<Tracer['request']>['end']>[0] {
  const { operation, route } = matched;
  const given = request.method ?? '';
  const method = methods.has(given) ? given : otherMethod;
  const { statusCode: status } = response;
  const failure = describeFailure(response);
  return {
    name: nameSpan(method, route),
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
