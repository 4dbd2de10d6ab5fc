import { type IncomingMessage, request as dialled, type RequestOptions } from 'node:http';
import type { Duplex } from 'node:stream';
import { dial } from './find-way.ts';
import { refusedBy, type TunnelFault, unreachable, type Way } from './tunnel-fault.ts';

/** One upgrade request of a client. */
export interface Knock {
  readonly request: IncomingMessage;
  readonly client: Duplex;
  readonly head: Buffer;
}

/** What is told of a connection through the tunnel. */
export interface PassageListener {
  /** It came to nothing, which the client was told, too. */
  failed(fault: TunnelFault): void;
  /** It was there and is over; who ended it cannot be seen from outside the frames. */
  ended(): void;
}

/**
 * Repeats a client's handshake at the browser's address and joins the two connections. From then on bytes pass unread: frames,
 * pings and closings are the ends' own, and who reads slowly slows the one who sends.
 */
export function passOn(way: Way, { request, client, head }: Knock, listener: PassageListener): void {
  const { away } = way;
  // Plain HTTP also for wss: the route has done the TLS by then.
  const onward = dialled(optionsOf(way, request));
  onward.once('upgrade', (answer, service, first) => {
    client.write(headOf(answer));
    client.write(first);
    service.write(head);
    void joinStreams(client, service).then(() => listener.ended());
  });
  onward.once('response', (answer) => {
    const { statusCode = 0, statusMessage = '' } = answer;
    client.write(`HTTP/1.1 ${statusCode} ${statusMessage}\r\nConnection: close\r\n\r\n`);
    answer.pipe(client);
    listener.failed(refusedBy(away, statusCode));
  });
  onward.once('error', (error) => {
    if (client.destroyed) return;
    refuse(client, '502 Bad Gateway');
    listener.failed(unreachable(away, error));
  });
  client.once('close', () => onward.destroy());
  onward.end();
}

/** Answers an upgrade request that leads nowhere. */
export function refuse(client: Duplex, status: string): void {
  client.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
}

function optionsOf(way: Way, { headers }: IncomingMessage): RequestOptions {
  const { pathname, search, host } = way.away;
  const options = { path: `${pathname}${search}`, headers: { ...headers, host }, createConnection: dial(way) };
  return options;
}

/** The head of an answer as it came. */
function headOf({ httpVersion, statusCode = 0, statusMessage = '', rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/${httpVersion} ${statusCode} ${statusMessage}`];
  for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/**
 * Joins two streams both ways: what one sends the other gets, no faster than it reads. What was sent before an orderly end still
 * arrives; where one breaks, the other is cut. Settles when both have gone; never rejects.
 */
export async function joinStreams(first: Duplex, second: Duplex): Promise<void> {
  await Promise.all([follow(first, second), follow(second, first)]);
}

function follow(from: Duplex, to: Duplex): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  // An error is followed by the close, which ends the other side.
  from.on('error', () => undefined);
  from.once('close', () => {
    if (from.errored === null && from.readableEnded) to.end();
    else to.destroy();
    // Nobody takes what it still sends; unread, its end would never come.
    to.resume();
    resolve();
  });
  from.pipe(to);
  return promise;
}

/** Names of this machine, with or without a port: chromedriver leaves the port out of its handshake. */
const HERE = /^(127(\.\d{1,3}){3}|localhost|\[::1\])(:\d{1,5})?$/i;

/**
 * Why somebody may not use the tunnel, or null. The tunnel needs no token, so a web page must not reach it: one comes with an
 * Origin, or by a name of its own that leads here (DNS rebinding). Chromium guards its DevTools port in the same way.
 */
export function checkCaller({ headers }: Pick<IncomingMessage, 'headers'>): string | null {
  if (!HERE.test(headers.host ?? '')) return 'The Host has to be an address of this machine.';
  if (headers.origin !== undefined) return 'Web pages may not use this tunnel.';
  return null;
}
