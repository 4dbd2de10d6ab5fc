import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { type JsonValue, parseJson } from '../core/json.ts';
import type { Transport } from '../core/transport.ts';

/** A response of the fake service, before it reaches the suite. */
export interface DialectAnswer {
  method: string;
  /** Path with query, in the form of the fake service. */
  path: string;
  status: number;
  /** The body as JSON; undefined for an empty body and for a body that is no JSON. */
  body: JsonValue | undefined;
}

/**
 * Differences of a conforming service from the fake service. `path` translates the path of a request; `answer` returns
 * the members of a response that differ.
 */
export interface Dialect {
  path?(path: string): string;
  answer?(answer: DialectAnswer): Partial<DialectAnswer>;
}

/** Wraps a transport, such as `FakeService.transport`, so that it applies a dialect to paths and responses. */
export function inDialect(transport: Transport, dialect: Dialect): Transport {
  return async (request) => {
    const url = new URL(request.url);
    const path = `${url.pathname}${url.search}`;
    const asked = dialect.path?.(path) ?? path;
    const answer = await transport({ ...request, url: `${url.origin}${asked}` });
    if (answer.fault !== undefined) return answer;
    const { status, body } = translateAnswer(dialect, {
      method: request.method,
      path: asked,
      status: answer.status,
      body: parseJson(answer.body),
    });
    return { ...answer, status, body: toText(body) };
  };
}

function translateAnswer(dialect: Dialect, answer: DialectAnswer): DialectAnswer {
  return { ...answer, ...dialect.answer?.(answer) };
}

function toText(body: JsonValue | undefined): string {
  return body === undefined ? '' : JSON.stringify(body);
}

/** A service that applies a dialect and forwards requests to a fake service. */
export interface DialectService {
  url: string;
  close(): Promise<void>;
}

/** Starts a server on a free loopback port that applies a dialect to the service at `url`. */
export async function startDialect(url: string, dialect: Dialect): Promise<DialectService> {
  const server = createServer((request, response) => {
    forward(request, response, { url, dialect }).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { url, dialect }: { url: string; dialect: Dialect },
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const method = request.method ?? 'GET';
  const path = dialect.path?.(request.url ?? '/') ?? request.url ?? '/';
  const body = Buffer.concat(chunks).toString();
  const key = request.headers['x-service-api-key'];
  const headers = {
    'content-type': 'application/json',
    ...(typeof key === 'string' ? { 'x-service-api-key': key } : {}),
  };
  const given = await fetch(`${url}${path}`, { method, headers, ...(body === '' ? {} : { body }) });
  const spoken = translateAnswer(dialect, { method, path, status: given.status, body: parseJson(await given.text()) });
  response.writeHead(spoken.status, { 'content-type': 'application/json' });
  response.end(toText(spoken.body));
}
