import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { limitOf, type RuleBook } from '#contract/rule-book.ts';
import { type Problem, problem, renderProblem } from '#contract/problems.ts';
import { refusalText } from '#lib/http.ts';

/** An error of Node's parser; `reason` says in words what is wrong with the bytes. */
interface ClientError extends Error {
  readonly code?: string;
  readonly reason?: string;
}

const secondMs = 1000;

/**
 * Tells a connection whose bytes are no request, are too many or come too slowly what is wrong, and ends it. Nothing is
 * written into the middle of an answer, nor to a connection that is gone.
 */
export function answerClientErrors(server: Server, rules: RuleBook): (error: ClientError, socket: Socket) => void {
  const answering = new WeakMap<object, ServerResponse>();
  server.on('request', (request, response) => {
    answering.set(request.socket, response);
  });
  return (error, socket) => {
    const latest = answering.get(socket);
    const isAnswering = latest?.headersSent === true && !latest.closed;
    const isHeard = error.code !== 'ECONNRESET' && socket.writable && !isAnswering;
    if (isHeard) socket.write(refusalText(renderProblem(reasonOf(error, rules), rules)));
    socket.destroySoon();
  };
}

function reasonOf({ code, reason, message }: ClientError, rules: RuleBook): Problem {
  const seconds = (limit: string): string => String(limitOf(rules, limit) / secondMs);
  if (code === 'HPE_HEADER_OVERFLOW')
    return problem('headers_too_large', { limit: String(limitOf(rules, 'requestHeaders')) });
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return problem('request_too_slow', { headers: seconds('requestHeadersTime'), whole: seconds('requestTime') });
  return problem('request_not_http', { reason: reason ?? message });
}
