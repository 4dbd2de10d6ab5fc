import type { FastifyInstance } from 'fastify';
import { isFromThisMachine } from '#api/http/connections.ts';
import { createValidators, noResponses, type ResponseValidators } from '#api/http/validators.ts';
import type { Route } from '#contract/http-messages.ts';
import { problem, renderProblem } from '#contract/problems.ts';
import type { LogKept, LoggedCall } from '#contract/log-messages.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import { operations } from '#generated/operations.ts';
import { logPage, logScript, logStyle } from '#generated/request-log.ts';
import { guardHeaders } from '#lib/http.ts';
import { loadDocuments } from '../load-routes.ts';
import type { CallLog } from './create-call-log.ts';

/** An operation with its response validators. */
export interface LogRoute extends Route {
  readonly summary: string;
  readonly source: string;
  /** Returns the validators of responses, by status. */
  responses(): ResponseValidators;
}

/** A function that returns the validators of an operation's responses. */
export type FindResponses = (operation: Pick<Route, 'version' | 'id'>) => ResponseValidators;

/** Returns all operations of the three API versions. */
export function logRoutes(findResponses: FindResponses = compiledResponses()): readonly LogRoute[] {
  return operations.map(({ id, version, method, path, summary, source }) => ({
    id,
    version,
    method: method.toUpperCase(),
    path: `/api/${version}${path}`,
    summary,
    source,
    responses: () => findResponses({ version, id }),
  }));
}

/**
 * Creates a function that returns the validators of an operation's responses. It compiles the validators of an API
 * version on first use.
 */
function compiledResponses(): FindResponses {
  const validators = new Map<string, ReturnType<typeof createValidators>>();
  const compiled = new Map<string, ResponseValidators>();
  const compile = ({ version, id }: Pick<Route, 'version' | 'id'>): ResponseValidators => {
    const getValidators = validators.get(version) ?? createValidators(loadDocuments()[version]);
    validators.set(version, getValidators);
    const operation = operations.find((one) => one.version === version && one.id === id);
    return operation === undefined ? noResponses : getValidators(operation.method, operation.path).responses;
  };
  return (operation) => {
    const name = `${operation.version} ${operation.id}`;
    const responses = compiled.get(name) ?? compile(operation);
    compiled.set(name, responses);
    return responses;
  };
}

/**
 * Content Security Policy of the request log. It permits scripts, styles and requests of this server only, no inline
 * code, and no framing.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Time after which a browser reconnects to the event stream, in milliseconds. */
const askAgainMs = 500;

/**
 * Adds routes for the page of the request log and its event stream. The routes refuse requests from other machines,
 * because the log shows request bodies.
 */
export function addLogRoutes(app: FastifyInstance, log: CallLog, rules: RuleBook): void {
  app.addHook('onRequest', async ({ url, raw }, reply) => {
    if (!/^\/log(\/|\?|$)/.test(url) || isFromThisMachine(raw)) return;
    const { status, body } = renderProblem(problem('loopback_only', {}), rules);
    await reply.code(status).send(body);
  });
  app.get('/log', async (_request, reply) =>
    reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(logPage),
  );
  app.get('/log/log.js', async (_request, reply) => reply.type('text/javascript; charset=utf-8').send(logScript));
  app.get('/log/log.css', async (_request, reply) => reply.type('text/css; charset=utf-8').send(logStyle));
  app.get('/log/calls', async () => ({ calls: log.page() }));
  app.delete('/log/calls', async (_request, reply) => {
    log.clear();
    return reply.code(204).send();
  });
  addEventRoute(app, log);
}

/**
 * Adds a route that streams stored and new calls as server-sent events. A client that reconnects gets the calls after
 * its last event.
 */
function addEventRoute(app: FastifyInstance, log: CallLog): void {
  app.get('/log/events', async (request, reply) => {
    const [logId, number] = String(request.headers['last-event-id'] ?? '').split(' ');
    const seen = logId === log.id ? Number(number) : 0;
    const { raw } = reply.hijack();
    raw.writeHead(200, { ...Object.fromEntries(guardHeaders), 'content-type': 'text/event-stream; charset=utf-8' });
    const send = (event: string, data: unknown): void =>
      void raw.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    const sendCall = (call: LoggedCall): void => {
      raw.write(`id: ${log.id} ${call.id}\n`);
      send('call', call);
    };
    const sendKept = (first: number): void => send('kept', { log: log.id, first } satisfies LogKept);
    raw.write(`retry: ${askAgainMs}\n\n`);
    sendKept(log.first());
    for (const call of log.page(seen)) sendCall(call);
    const leave = log.watch({ call: sendCall, kept: sendKept });
    raw.once('close', leave);
  });
}
