import type { IncomingMessage } from 'node:http';
import { connect as connectPlain } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { type Upstream, bareHost } from './forward.ts';
import type { Interference } from './interference.ts';
import type { ClientSocket } from './recording.ts';

/** An upgrade request to a websocket. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Options of {@link relaySocket}. */
export interface RelayOptions {
  readonly upstream: Upstream;
  readonly interference: Interference;
  readonly atMs: number;
}

/**
 * Relays a websocket, and closes it when the trial requires that. `keep` adds the websocket to the recording and
 * returns the number of websockets that are then recorded.
 */
export function relaySocket(
  { request, socket, head }: Upgrade,
  { upstream, interference, atMs }: RelayOptions,
  keep: (socket: ClientSocket) => number,
): void {
  const { url: target = '/' } = request;
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const seen: ClientSocket = { atMs, target, headers, closedBy: undefined, closedMs: undefined };
  const dropsAfter = interference.dropsAfter(keep(seen) - 1);
  const service = dial(upstream);
  const startedMs = performance.now();
  const note = (side: NonNullable<ClientSocket['closedBy']>): void => {
    seen.closedMs ??= atMs + performance.now() - startedMs;
    seen.closedBy ??= side;
  };
  const close = (side: NonNullable<ClientSocket['closedBy']>): void => {
    note(side);
    socket.destroy();
    service.destroy();
  };
  for (const [side, stream] of [['program', socket] as const, ['service', service] as const]) {
    // Pending bytes are still relayed; the other side then closes.
    stream.on('end', () => note(side));
    stream.on('error', () => close(side)).on('close', () => close(side));
  }
  service.write(requestHead(request, new URL(upstream.address).host));
  if (head.length > 0) service.write(head);
  let messages = 0;
  socket.on('data', () => {
    messages += 1;
    if (dropsAfter === undefined || messages < dropsAfter) return;
    close('trial');
  });
  socket.pipe(service);
  service.pipe(socket);
}

function dial({ address }: Upstream): Duplex {
  const url = new URL(address);
  const { port, protocol } = url;
  const host = bareHost(url);
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
