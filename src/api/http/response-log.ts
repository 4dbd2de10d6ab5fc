import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import type { NamedRoute } from '#contract/http-messages.ts';
import { type EdgeRequest, type Enter, idsInLog, type MatchedRoute, shownPath } from './request-scope.ts';
import type { RequestTraces } from './trace-requests.ts';

/** A response as metrics count it. Clients cannot cause more than a few distinct values of `operation` and `status`. */
export interface Answered {
  /** An operation such as `v4 createRun`, a route pattern such as `/screenshots/:key`, or `unknown`. */
  readonly operation: string;
  readonly status: number;
  /** Milliseconds until the last byte of the response was passed to the network. */
  readonly ms: number;
}

/** A response with its request's path, without headers and bodies, so that it contains no secrets. */
export interface SeenAnswer {
  readonly method: string;
  /** Path without access tokens. */
  readonly path: string;
  readonly status: number;
}

/** Listeners for responses. */
export interface AnswerListeners {
  readonly log: FastifyBaseLogger;
  /** Called for every response that was sent completely. @defaultValue none */
  readonly observe?: (answered: Answered) => void;
  /** Called for every response that was sent completely, with its method, path and status. @defaultValue none */
  readonly seen?: (answer: SeenAnswer) => void;
}

/** Log levels that suppress the line of each response; these lines are then not even created. */
const quietLevels: ReadonlySet<string> = new Set(['warn', 'error', 'fatal', 'silent']);

/** Creates the function that logs a response and calls the listeners; `ms` is the time since its request arrived. */
export function logResponses(
  { log, observe, seen }: AnswerListeners,
  traces: Pick<RequestTraces, 'findSpan'> | null,
): (edge: EdgeRequest, ms: number) => void {
  return ({ id, request, response, matched }, ms) => {
    const operation = matched.operation ?? matched.route ?? 'unknown';
    const { method = '', url = '' } = request;
    const { statusCode: status } = response;
    observe?.({ operation, status, ms });
    if (seen !== undefined) seen({ method, path: shownPath(url), status });
    if (quietLevels.has(log.level)) return;
    const line = {
      request: id,
      ...idsInLog(traces?.findSpan(response)),
      operation,
      method,
      path: shownPath(url),
      status,
    };
    log.info({ ...line, ms: Math.round(ms) }, 'answered');
  };
}

/** Returns the names of an operation and its route for metrics and traces. */
export function namedOperation(route: NamedRoute): MatchedRoute {
  return { operation: `${route.version} ${route.id}`, route: route.path };
}

/**
 * Timeout of {@link PendingAnswers.settled} in milliseconds, for clients that send the rest of a request or read a
 * response slowly.
 */
const answerTimeoutMs = 2_000;

/** Responses of a server that are still pending. */
export interface PendingAnswers {
  readonly enter: Enter;
  /**
   * Waits, before a shutdown, until all pending responses whose headers were not sent yet have ended, at most 2 s. Does
   * not wait for responses whose bytes are already being sent. Never rejects.
   */
  settled(): Promise<void>;
}

/** Tracks the pending responses of a server. */
export function trackAnswers(): PendingAnswers {
  const open = new Set<ServerResponse>();
  function leave(this: ServerResponse): void {
    open.delete(this);
  }
  return {
    enter(response, work) {
      open.add(response);
      response.on('close', leave);
      work();
    },
    async settled() {
      const signal = AbortSignal.timeout(answerTimeoutMs);
      const waiting = Array.from(open).filter(({ headersSent }) => !headersSent);
      // A rejected wait took too long.
      await Promise.allSettled(waiting.map((response) => once(response, 'close', { signal })));
    },
  };
}
