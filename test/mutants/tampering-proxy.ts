import {
  Agent,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  createServer,
  request as httpRequest,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Given, Seen, Tamper } from './mutant.ts';
import { createRelay } from './relay.ts';

/** A proxy to a conforming server that applies the changes of a mutant. */
export interface TamperingProxy {
  readonly address: string;
  close(): Promise<void>;
}

const dropped = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive']);

/** Starts the proxy on a free loopback port. `target` is the URL of the conforming server. */
export async function startTamperingProxy(target: string, tamper: Tamper): Promise<TamperingProxy> {
  let own = '';
  // A new connection for each request would cost as much as the answer.
  const agent = new Agent({ keepAlive: true });
  const server: Server = createServer((request, response) => {
    forward({ request, response, target, tamper, own, agent }).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  own = `127.0.0.1:${port}`;
  const relay = createRelay(target, tamper.sockets ?? {});
  server.on('upgrade', (request, socket, head) => relay.upgrade(request, socket, head));
  return {
    address: `http://${own}`,
    close: () =>
      new Promise((resolve) => {
        relay.close();
        agent.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Passing {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: string;
  readonly tamper: Tamper;
  /** Host and port of the proxy. */
  readonly own: string;
  /** Keeps connections to the conforming server open for reuse. */
  readonly agent: Agent;
}

async function forward({ request, response, target, tamper, own, agent }: Passing): Promise<void> {
  const seen: Seen = {
    method: request.method ?? 'GET',
    url: request.url ?? '/',
    headers: flat(request.headers),
    body: parse(await read(request)),
  };
  const sent = { ...seen, ...tamper.request?.(seen) };
  const given = redirected(await send({ target, agent }, sent), { target, tamper, own });
  await after(tamper.delayMs?.(seen) ?? 0);
  const { status, headers, body } = { ...given, ...tamper.answer?.(seen, given) };
  response.writeHead(status, headers);
  if (status !== 204) await writeIn(tamper.pieceBytes ?? Number.POSITIVE_INFINITY, print(body), response);
  response.end();
}

/** Returns a promise that resolves after a simulated network delay; undefined without a delay. */
function after(delayMs: number): Promise<void> | undefined {
  return delayMs === 0 ? undefined : new Promise((resolve) => setTimeout(resolve, delayMs));
}

async function writeIn(pieceBytes: number, bytes: Buffer, response: ServerResponse): Promise<void> {
  if (bytes.length <= pieceBytes) {
    if (bytes.length > 0) response.write(bytes);
    return;
  }
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    response.write(bytes.subarray(at, at + pieceBytes));
    // After every second piece, the pause lets the written bytes leave before the next piece, like a slow server.
    if ((at / pieceBytes) % 2 === 1) await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

// Returns the answer with URLs that lead through the proxy, so that a mutant can change requests to these URLs.
function redirected(given: Given, { target, tamper, own }: Pick<Passing, 'target' | 'tamper' | 'own'>): Given {
  if (typeof given.body !== 'object') return given;
  const schemes = [...(tamper.sockets === undefined ? [] : ['ws']), ...(tamper.addresses === true ? ['http'] : [])];
  if (schemes.length === 0) return given;
  const { host } = new URL(target);
  const text = schemes.reduce(
    (body, scheme) => body.replaceAll(`${scheme}://${host}`, `${scheme}://${own}`),
    JSON.stringify(given.body),
  );
  return { ...given, body: JSON.parse(text) };
}

function send(
  { target, agent }: Pick<Passing, 'target' | 'agent'>,
  { method, url, headers, body }: Seen,
): Promise<Given> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(`${target}${url}`, { method, headers: kept(headers), agent }, (incoming) => {
      read(incoming).then(
        (bytes) =>
          resolve({ status: incoming.statusCode ?? 0, headers: kept(flat(incoming.headers)), body: parse(bytes) }),
        reject,
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body === '' ? undefined : print(body));
  });
}

async function read(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Returns JSON as a value, and any other body as latin1 text, which keeps every byte. */
function parse(bytes: Buffer): unknown {
  const text = bytes.toString('latin1');
  try {
    return text === '' ? '' : JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

function print(body: unknown): Buffer {
  return typeof body === 'string' ? Buffer.from(body, 'latin1') : Buffer.from(JSON.stringify(body));
}

function flat(headers: IncomingMessage['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}

function kept(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      dropped.has(name) || value === undefined ? [] : [[name, value]],
    ),
  );
}
