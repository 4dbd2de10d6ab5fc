import type { IncomingMessage } from 'node:http';
import { connect as connectPlain } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { Upstream } from './forward.ts';
import type { Interference } from './interference.ts';
import type { ClientSocket } from './recording.ts';

/** A connection that asks to become a websocket. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** What a websocket is relayed by. */
export interface RelayOptions {
  readonly upstream: Upstream;
  readonly interference: Interference;
  readonly atMs: number;
}

/** Relays a websocket byte by byte, and drops it where the trial says so; `note` gets its place in the recording. */
export function relaySocket(
  { request, socket, head }: Upgrade,
  { upstream, interference, atMs }: RelayOptions,
  note: (socket: ClientSocket) => number,
): void {
  const { url: target = '/' } = request;
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const seen: ClientSocket = { atMs, target, headers, isDropped: false };
  const dropsAfter = interference.dropsAfter(note(seen) - 1);
  const service = dial(upstream);
  const drop = (): void => {
    socket.destroy();
    service.destroy();
  };
  for (const side of [socket, service]) side.on('error', drop).on('close', drop);
  service.write(requestHead(request, new URL(upstream.address).host));
  if (head.length > 0) service.write(head);
  let messages = 0;
  socket.on('data', () => {
    messages += 1;
    if (dropsAfter === undefined || messages < dropsAfter) return;
    seen.isDropped = true;
    drop();
  });
  socket.pipe(service);
  service.pipe(socket);
}

function dial({ address }: Upstream): Duplex {
  const { hostname: host, port, protocol } = new URL(address);
  if (protocol === 'https:') return connectTls({ host, servername: host, port: Number(port || 443) });
  return connectPlain({ host, port: Number(port || 80) });
}

function requestHead({ method = 'GET', url = '/', rawHeaders }: IncomingMessage, host: string): string {
  const lines = rawHeaders.flatMap((name, at) => {
    if (at % 2 === 1) return [];
    return [`${name}: ${name.toLowerCase() === 'host' ? host : (rawHeaders[at + 1] ?? '')}`];
  });
  return [`${method} ${url} HTTP/1.1`, ...lines, '', ''].join('\r\n');
}
