import { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { problem } from '#domain/problems.ts';
import type { RuleBook } from '#domain/rule-book.ts';
import { refuse } from '#http/refuse.ts';
import type { WireReply, WireRequest } from '#http/wire.ts';

/** What the HTTP server is made of. */
export interface ApiServerParts {
  readonly log: FastifyBaseLogger;
  /** The largest body that is read, in bytes. */
  readonly bodyLimit: number;
  readonly newId: () => string;
  readonly rules: RuleBook;
  answer(request: WireRequest): Promise<WireReply>;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** The HTTP side: bytes in, bytes out, every request answered; what an answer says is decided by `answer`. */
export function createApiServer(parts: ApiServerParts): FastifyInstance {
  const app: FastifyInstance = fastify({
    loggerInstance: parts.log,
    bodyLimit: parts.bodyLimit,
    genReqId: parts.newId,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    // A path that the router cannot decode never reaches a handler.
    frameworkErrors: (error: Error, _request: FastifyRequest, reply: FastifyReply) => {
      const answer = refuse(problem('validation_failed', { reason: error.message }, ['path']), parts.rules);
      void reply.code(answer.status).send(answer.body);
    },
  });
  // Bodies stay bytes: content type and JSON are checked by our own pipeline, after the key.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  app.setErrorHandler(async (error, request, reply) => {
    const answer = onError(error, request, parts);
    return reply.code(answer.status).send(answer.body);
  });
  app.setNotFoundHandler(async (_request, reply) => {
    const answer = refuse(problem('route_not_found', {}), parts.rules);
    return reply.code(answer.status).send(answer.body);
  });
  app.route({
    method: [...methods],
    url: '/api/*',
    handler: async (request, reply) => {
      const answer = await parts.answer(wireRequest(request));
      for (const [name, value] of Object.entries(answer.headers ?? {})) reply.header(name, value);
      return reply.code(answer.status).send(answer.body);
    },
  });
  return app;
}

function wireRequest(request: FastifyRequest): WireRequest {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
  return {
    method: request.method,
    path: pathname,
    query: searchParams,
    headers,
    body: request.body instanceof Uint8Array ? request.body : new Uint8Array(),
  };
}

/** What fastify itself refuses, and bugs: their stack goes to the log, never to the caller. */
function onError(error: unknown, request: FastifyRequest, parts: ApiServerParts): WireReply {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return refuse(problem('body_too_large', { limit: String(parts.bodyLimit) }), parts.rules);
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  if (status >= 400 && status < 500 && error instanceof Error) {
    return refuse(problem('validation_failed', { reason: error.message }, ['body']), parts.rules);
  }
  request.log.error({ err: error }, 'request failed');
  return refuse(problem('internal_error', { requestId: request.id }), parts.rules);
}
