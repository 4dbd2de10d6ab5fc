import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Draw } from '../draw.ts';
import { mangle, type MangledAnswer } from './mangle.ts';

/** A proxy that mangles answers. */
export interface ManglingProxy {
  readonly url: string;
  /** Number of answers that were mangled. */
  readonly mangled: () => number;
  close(): void;
}

/** Options of the proxy. */
export interface ManglingOptions {
  /** URL of the correct server. */
  readonly target: string;
  readonly draw: Draw;
  /** Share of the answers to mangle. */
  readonly share: number;
  /** Ways to mangle that are used. */
  readonly ways: readonly string[];
}

/** Starts a proxy on a free loopback port. Requests to the control URL of the target do not pass through it. */
export async function startManglingProxy({ target, draw, share, ways }: ManglingOptions): Promise<ManglingProxy> {
  const agent = new Agent({ keepAlive: true });
  let count = 0;
  const server = createServer((incoming, response) => {
    forward({ incoming, target, agent }).then(
      (answer) => {
        const isMangled = draw.chance(share);
        count += isMangled ? 1 : 0;
        send(response, isMangled ? mangle(draw.of(ways), answer, draw) : answer);
      },
      (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    mangled: () => count,
    close: () => {
      agent.destroy();
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Forwarding {
  readonly incoming: IncomingMessage;
  readonly target: string;
  readonly agent: Agent;
}

async function forward({ incoming, target, agent }: Forwarding): Promise<MangledAnswer> {
  const { method, headers, url = '/' } = incoming;
  const body = await read(incoming);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(`${target}${url}`, { method, headers, agent }, resolve).once('error', reject).end(body);
  });
  const type = answer.headers['content-type'];
  const kept = type === undefined ? {} : { 'content-type': type };
  return { status: answer.statusCode ?? 500, headers: kept, body: (await read(answer)).toString('latin1') };
}

async function read(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function send(response: ServerResponse, { status, headers, body, cutAfter }: MangledAnswer): void {
  const bytes = Buffer.from(body, 'latin1');
  if (cutAfter === -1) {
    response.destroy();
    return;
  }
  const isEmpty = status === 204 || status === 304;
  response.writeHead(status, { ...headers, ...(isEmpty ? {} : { 'content-length': bytes.length }) });
  if (cutAfter === undefined || isEmpty) response.end(isEmpty ? undefined : bytes);
  else response.write(bytes.subarray(0, cutAfter), () => response.destroy());
}
