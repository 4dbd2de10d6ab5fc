import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { type JsonValue, parseJson } from '../harness/json.ts';

/** An answer on its way back to the suite. */
export interface DialectAnswer {
  method: string;
  /** Path with query, as the fake service has it. */
  path: string;
  status: number;
  /** Undefined for an empty body. */
  body: JsonValue | undefined;
}

/** How a legal service speaks otherwise than the fake service: paths on the way in, answers on the way out. */
export interface Dialect {
  path?(path: string): string;
  answer?(answer: DialectAnswer): Partial<DialectAnswer>;
}

/** A service that speaks a dialect and hands everything on to a fake one. */
export interface DialectService {
  url: string;
  close(): Promise<void>;
}

/** Starts a dialect of the service at an address, on a free loopback port. */
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
  const answer: DialectAnswer = { method, path, status: given.status, body: parseJson(await given.text()) };
  const spoken = { ...answer, ...dialect.answer?.(answer) };
  response.writeHead(spoken.status, { 'content-type': 'application/json' });
  response.end(spoken.body === undefined ? '' : JSON.stringify(spoken.body));
}
