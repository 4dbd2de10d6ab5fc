import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Problem, renderProblem } from '#contract/problems.ts';
import type { HttpServerDeps } from './http-server-deps.ts';
import { type EdgeRequest, toEdgeRequest } from './request-scope.ts';
import { logResponses } from './response-log.ts';
import { createRequestTraces } from './trace-requests.ts';
import { writeReply } from './answer-requests.ts';

/**
 * Returns the refusal of a request that must not be read further; null to handle the request. A refusal closes the
 * connection.
 */
export type Admit = (request: IncomingMessage, response: ServerResponse) => Problem | null;

/**
 * A step of request handling at the edge. A hook either answers the request, or calls `next` once to run the next hook.
 * It may run `next` in its own asynchronous context.
 */
type EdgeHook = (edge: EdgeRequest, next: () => void) => void;

/**
 * Creates the request listener of a server. Every request passes the same hooks in the same order. `serve` answers the
 * requests that pass `admit`.
 */
export function createEdge(
  deps: HttpServerDeps & { readonly admit: Admit },
  serve: (edge: EdgeRequest) => void,
): RequestListener {
  const { scope, tracer, rules, admit, enter = [] } = deps;
  const traces = tracer === undefined ? null : createRequestTraces(tracer);
  const report = logResponses(deps, traces);
  const hooks: readonly EdgeHook[] = [
    (edge, next) => {
      const begunMs = performance.now();
      edge.response.on('finish', () => report(edge, performance.now() - begunMs));
      next();
    },
    ({ id }, next) => (scope === undefined ? next() : scope.run(id, next)),
    (edge, next) => (traces === null ? next() : traces.run(edge, next)),
    (edge, next) => {
      const refusal = admit(edge.request, edge.response);
      if (refusal === null) next();
      else writeReply(edge, renderProblem(refusal, rules), { connection: 'close' });
    },
    ...enter.map(
      (wrap): EdgeHook =>
        ({ response }, next) =>
          wrap(response, next),
    ),
  ];
  // The last hook is wrapped first, so that the first hook runs first.
  const enterAll = hooks.reduceRight<(edge: EdgeRequest) => void>(
    (inner, hook) => (edge) => hook(edge, () => inner(edge)),
    serve,
  );
  return takeTurns((request, response) => enterAll(toEdgeRequest(request, response)));
}

/** Maximum number of pipelined requests of a connection that are served while earlier responses are pending. */
const pipelinedMax = 32;

/**
 * Wraps a listener so that pipelined requests beyond `pipelinedMax` wait for the responses to the earlier requests.
 * Hundreds of requests in one packet would otherwise block the event loop.
 */
function takeTurns(serve: RequestListener): RequestListener {
  const pipelined = new WeakMap<Socket, number>();
  return (request, response) => {
    // A pipelined response has no socket until the earlier responses of its connection are sent.
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
