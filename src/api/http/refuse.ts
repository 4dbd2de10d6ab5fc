import type { IncomingMessage } from 'node:http';
import type { FastifyBaseLogger, FastifyReply } from 'fastify';
import type { HttpReply } from '#contract/http-messages.ts';
import { type Problem, problem, renderProblem } from '#contract/problems.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import { Unavailable } from '#lib/http.ts';
import { shownPath } from './request-scope.ts';
import { ClientGone, isClientGone } from './http-request.ts';

const shownLength = 80;

/** Limits that set the Retry-After header, by error code. */
const retryAfter = {
  database_away: 'databaseRetryAfter',
  database_locked: 'databaseRetryAfter',
  owner_silent: 'databaseRetryAfter',
  storage_full: 'storageRetryAfter',
} as const;

/**
 * Converts an error to a response: an error of Fastify such as an invalid content type, a disconnect of the client, or
 * an unavailable database or storage, with Retry-After. Any other error is a bug: the log gets its stack, and the
 * client a request id.
 */
export function toRefusal(
  error: unknown,
  { id, request }: { readonly id: string; readonly request: IncomingMessage },
  { rules, log }: { readonly rules: RuleBook; readonly log: FastifyBaseLogger },
): HttpReply {
  const line = { request: id, method: request.method, path: shownPath(request.url ?? '') };
  if (isClientGone(error, request)) {
    log.info(line, 'the client went away');
    return renderProblem(problem('request_not_http', { reason: new ClientGone().message }), rules);
  }
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  if (status === 415) {
    const found = String(request.headers['content-type']).slice(0, shownLength);
    return renderProblem(problem('wrong_content_type', { found }), rules);
  }
  if (error instanceof Unavailable) {
    // Logged without stack, because an outage causes many such errors.
    log.warn({ request: id, reason: error.message, cause: String(error.cause) }, 'request failed');
    return renderProblem(
      problem(error.code, { seconds: String(getLimit(rules, retryAfter[error.code]) / 1_000) }),
      rules,
    );
  }
  if (status >= 400 && status < 500 && error instanceof Error)
    return renderProblem(problem('validation_failed', { reason: error.message }), rules);
  log.error({ err: error, ...line }, 'request failed');
  return renderProblem(problem('internal_error', { requestId: id }), rules);
}

/** Answers a request to a route of Fastify with a problem. */
export function sendProblem(reply: FastifyReply, found: Problem, rules: RuleBook): FastifyReply {
  const { status, body, headers = {} } = renderProblem(found, rules);
  return reply.code(status).headers(headers).send(body);
}
