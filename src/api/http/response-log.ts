import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import type { NamedRoute } from '#contract/http-messages.ts';
import { type Enter, idsInLog, shownPath } from './request-scope.ts';
import type { RequestTraces, TracedRequest } from './trace-requests.ts';

/** What is counted of a request: nothing that a caller could have as many of as he likes. */
export interface Answered {
  /** An operation such as `v4 createRun`, the pattern of an address such as `/screenshots/:key`, or `unknown`. */
  readonly operation: string;
  readonly status: number;
  /** Until the last byte of the answer was handed to the network. */
  readonly ms: number;
}

/** One request that was answered; no header and no body, so that no secret is kept. */
export interface SeenAnswer {
  readonly method: string;
  /** As it may be shown. */
  readonly path: string;
  readonly status: number;
}

/** Listeners for responses. */
export interface AnswerListeners {
  readonly log: FastifyBaseLogger;
  /** Called for every response. @defaultValue none */
  readonly observe?: (answered: Answered) => void;
  /** Called for every response with readable content. @defaultValue none */
  readonly seen?: (answer: SeenAnswer) => void;
}

/** A request that was answered. */
export interface ResponseLog {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly operation: string;
  readonly ms: number;
}

/** Levels at which no line is written for a request, so that none has to be made. */
const quietLevels: ReadonlySet<string> = new Set(['warn', 'error', 'fatal', 'silent']);

/** Logs responses and calls the listeners. */
export function logResponses(
  { log, observe, seen }: AnswerListeners,
  traces: Pick<RequestTraces, 'spanOf'> | null,
): (told: ResponseLog) => void {
  return ({ id, request, response, operation, ms }) => {
    const { method = '', url = '' } = request;
    const { statusCode: status } = response;
    observe?.({ operation, status, ms });
    if (seen !== undefined) seen({ method, path: shownPath(url), status });
    if (quietLevels.has(log.level)) return;
    const line = {
      request: id,
      ...idsInLog(traces?.spanOf(response)),
      operation,
      method,
      path: shownPath(url),
      status,
    };
    log.info({ ...line, ms: Math.round(ms) }, 'answered');
  };
}

/** An operation as it is counted and traced. */
export function namedOperation(route: NamedRoute): TracedRequest & { readonly operation: string } {
  return { operation: `${route.version} ${route.id}`, route: route.path };
}

/** A caller that takes longer to send the rest of its request, or to read its answer, is cut off. */
const ANSWER_TIMEOUT_MS = 2_000;

/** The answers of a server that are under way. */
export interface AnswersUnderWay {
  readonly enter: Enter;
  /**
   * Waits until pending responses are written, so that closing interrupts none; streams are not awaited. Never rejects,
   * and ends after 2 s.
   */
  settled(): Promise<void>;
}

/** Follows the requests of a server. */
export function trackAnswers(): AnswersUnderWay {
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
      const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
      const waiting = Array.from(open).filter(({ headersSent }) => !headersSent);
      // A wait that is rejected is one that took too long.
      await Promise.allSettled(waiting.map((response) => once(response, 'close', { signal })));
    },
  };
}
