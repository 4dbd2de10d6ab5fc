import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from '../transport/node-http.ts';
import type { StubAnswer } from './answer-call.ts';
import { callPath, type StubSettings, createStubService } from './serve-stub.ts';
import { readRequest } from './read-request.ts';

/** A running provider stub. */
export interface ProviderStub {
  /** Base URL `http://host:port`, at which the suite reads the logged calls. */
  address: string;
  /** Stops the server and closes every connection. */
  close(): Promise<void>;
}

/** Options for starting a stub. Port 0 selects a free port. */
export interface StubOptions extends StubSettings, Place {}

/** Starts a stub. Rejects when it cannot listen at the host and port. */
export async function startProviderStub({ host, port, ...manner }: StubOptions): Promise<ProviderStub> {
  const serve = createStubService(manner);
  const server = createServer((request, response) => void respond(serve, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('expected a port');
  return {
    address: formatUrl({ host, port: bound.port }),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(
  serve: (arrived: Awaited<ReturnType<typeof readRequest>>) => StubAnswer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const arrived = await readRequest(request);
    // Only this machine may read the logged calls.
    const isFar = arrived.path === callPath && !isLoopback(request.socket.remoteAddress ?? '');
    const { status, type, text } = isFar ? { status: 404, type: 'text/plain', text: '' } : serve(arrived);
    response.writeHead(status, { 'content-type': type }).end(text);
  } catch (error) {
    // A disconnected client needs no response. Any other client receives the error.
    if (request.destroyed && !response.writable) return;
    response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error));
  }
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

/** A host and a port. */
export interface Place {
  host: string;
  port: number;
}

/** Parses `host:port`. An IPv6 host may be in brackets. */
export function parsePlace(listen: string): Place {
  const at = listen.lastIndexOf(':');
  return { host: listen.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(listen.slice(at + 1)) };
}

/** For each host that stands for all interfaces, the loopback host of the same family. */
const loopbackHosts: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Returns the URL at which this machine reaches a listener on a host and port. */
export function formatUrl({ host, port }: Place): string {
  const near = loopbackHosts[host] ?? host;
  return `http://${near.includes(':') ? `[${near}]` : near}:${port}`;
}
