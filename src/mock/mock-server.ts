import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { problem } from '#domain/problems.ts';
import type { RuleBook } from '#domain/rule-book.ts';
import { refuse } from '#http/refuse.ts';
import type { WireReply } from '#http/wire.ts';
import { readBody } from './read-body.ts';
import type { UnreadRequest } from './unread-request.ts';

/** What the server needs besides the network. */
export interface MockServerParts {
  answer(request: UnreadRequest): Promise<WireReply>;
  readonly rules: RuleBook;
  readonly log: (line: string) => void;
  /** Called first when the server is told to close. */
  beforeClose(): void;
}

/** A mock that can be listened on, or asked in-process with fastify's `inject`. */
export interface MockServer {
  readonly inject: FastifyInstance['inject'];
  /** Listens and answers the address, for example `http://127.0.0.1:4010`; port 0 takes a free one. */
  listen(port: number, host: string): Promise<string>;
  /** Ends every connection; resolves when nothing is left. */
  close(): Promise<void>;
}

const requestTimeoutMs = 60_000;

/** The HTTP side of the mock: every request gets an answer, whatever its method, path or bytes. */
export function createMockServer(parts: MockServerParts): MockServer {
  const bodyLimit = bodyLimitOf(parts.rules);
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const started = performance.now();
    const answered = await parts.answer(unreadRequest(request, bodyLimit));
    parts.log(`${request.method} ${request.url} ${answered.status} ${Math.round(performance.now() - started)} ms`);
    return write(reply, answered);
  };
  const app = fastify({
    forceCloseConnections: true,
    requestTimeout: requestTimeoutMs,
    exposeHeadRoutes: false,
    genReqId: () => randomUUID(),
    // A path that cannot be decoded; our own routing hands such a parameter to its format, which refuses it.
    frameworkErrors: (_error, request, reply) => void handler(request, reply),
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  app.setErrorHandler((error, request, reply) => write(reply, onError(error, request, parts)));
  app.all('/*', handler);
  // A method that fastify does not know ends here; the path decides between 404 and 405.
  app.setNotFoundHandler(handler);
  return {
    inject: app.inject.bind(app),
    listen: (port, host) => app.listen({ port, host }),
    async close() {
      parts.beforeClose();
      await app.close();
    },
  };
}

function write(reply: FastifyReply, answer: WireReply): FastifyReply {
  reply.code(answer.status);
  for (const [name, value] of Object.entries(answer.headers ?? {})) reply.header(name, value);
  return reply.send(answer.body);
}

function unreadRequest(request: FastifyRequest, bodyLimit: number): UnreadRequest {
  const [path = '', ...query] = request.url.split('?');
  const stream = request.body instanceof Readable ? request.body : undefined;
  return {
    id: request.id,
    head: {
      method: request.method,
      path,
      query: new URLSearchParams(query.join('?')),
      headers: firstValues(request),
      body: new Uint8Array(),
    },
    bodyLimit,
    readBody: () => readBody(stream, bodyLimit),
  };
}

function firstValues(request: FastifyRequest): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
}

function bodyLimitOf(rules: RuleBook): number {
  const value = rules.limits.limits.find((row) => row.limit === 'requestBody')?.value;
  if (value === undefined) throw new Error('limits: found no row requestBody with a value');
  return value;
}

/** What fastify itself refuses, for example a content type that is none; anything else is a bug of ours. */
function onError(error: unknown, request: FastifyRequest, { rules, log }: MockServerParts): WireReply {
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  if (status === 415)
    return refuse(
      problem('wrong_content_type', { found: String(request.headers['content-type']).slice(0, 80) }),
      rules,
    );
  if (status >= 400 && status < 500 && error instanceof Error)
    return refuse(problem('validation_failed', { reason: error.message }), rules);
  log(
    `${request.method} ${request.url} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  );
  return refuse(problem('internal_error', { requestId: request.id }), rules);
}
