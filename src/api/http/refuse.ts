import type { IncomingMessage } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import type { HttpReply } from '#contract/http-messages.ts';
import { type Problem, problem, renderProblem } from '#contract/problems.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import { Unavailable } from '#lib/http.ts';
import { shownPath } from './request-scope.ts';
import { ClientGone, isClientGone } from './wire-request.ts';

/** A problem as an answer. */
export function refuse(found: Problem, rules: RuleBook): HttpReply {
  return renderProblem(found, rules);
}

const shownLength = 80;

/** The limit that says when a client tries again. */
const retryAfter = {
  database_away: 'databaseRetryAfter',
  database_locked: 'databaseRetryAfter',
  owner_silent: 'databaseRetryAfter',
  storage_full: 'storageRetryAfter',
} as const;

/**
 * Converts errors of fastify, such as an invalid content type. Any other error is a bug: its stack goes to the log
 * only.
 */
export function refusalOfError(
  error: unknown,
  { id, request }: { readonly id: string; readonly request: IncomingMessage },
  { rules, log }: { readonly rules: RuleBook; readonly log: FastifyBaseLogger },
): HttpReply {
  const line = { request: id, method: request.method, path: shownPath(request.url ?? '') };
  if (isClientGone(error, request)) {
    log.info(line, 'the client went away');
    return refuse(problem('request_not_http', { reason: new ClientGone().message }), rules);
  }
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  if (status === 415) {
    const found = String(request.headers['content-type']).slice(0, shownLength);
    return refuse(problem('wrong_content_type', { found }), rules);
  }
  if (error instanceof Unavailable) {
    // Without its stack: there may be many.
    log.warn({ request: id, reason: error.message, cause: String(error.cause) }, 'request failed');
    return refuse(problem(error.code, { seconds: String(getLimit(rules, retryAfter[error.code]) / 1_000) }), rules);
  }
  if (status >= 400 && status < 500 && error instanceof Error)
    return refuse(problem('validation_failed', { reason: error.message }), rules);
  log.error({ err: error, ...line }, 'request failed');
  return refuse(problem('internal_error', { requestId: id }), rules);
}
