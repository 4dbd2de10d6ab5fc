import { type IncomingMessage, request as dialled, type RequestOptions } from 'node:http';
import type { Duplex } from 'node:stream';
import { dial } from './find-browser.ts';
import { refusedBy, type TunnelFault, unreachable, type BrowserTarget } from './tunnel-fault.ts';

/** The upgrade request of a client. */
export interface UpgradeRequest {
  readonly request: IncomingMessage;
  readonly client: Duplex;
  readonly head: Buffer;
}

/** Events of a tunnelled connection. */
export interface ConnectionListener {
  /** Called when the connection failed; the client has received the error too. */
  failed(fault: TunnelFault): void;
  /** Called when the connection ended; the side that ended it is unknown. */
  ended(): void;
}

/**
 * Repeats a client's handshake at the browser's URL and joins both connections. Bytes then pass unparsed in both
 * directions with backpressure.
 */
export function passOn(
  way: BrowserTarget,
  { request, client, head }: UpgradeRequest,
  listener: ConnectionListener,
): void {
  const { away } = way;
  // Plain HTTP also for wss: URLs, because the route has already established TLS.
  const onward = dialled(requestOptions(way, request));
  onward.once('upgrade', (answer, service, first) => {
    client.write(formatHead(answer));
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

/** Refuses an upgrade request. */
export function refuse(client: Duplex, status: string): void {
  client.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
}

function requestOptions(way: BrowserTarget, { headers }: IncomingMessage): RequestOptions {
  const { pathname, search, host } = way.away;
  const options = { path: `${pathname}${search}`, headers: { ...headers, host }, createConnection: dial(way) };
  return options;
}

/** Formats the head of a response unchanged. */
function formatHead({ httpVersion, statusCode = 0, statusMessage = '', rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/${httpVersion} ${statusCode} ${statusMessage}`];
  for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/**
 * Connects two streams in both directions with backpressure. Data before an orderly end is still delivered; an error
 * destroys the other stream. Resolves when both are closed; never rejects.
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
    // Remaining data is discarded; unread, its end would never arrive.
    to.resume();
    resolve();
  });
  from.pipe(to);
  return promise;
}

/** Matches the names of this machine, with or without port: chromedriver's handshake contains no port. */
const LOCAL_HOST = /^(127(\.\d{1,3}){3}|localhost|\[::1\])(:\d{1,5})?$/i;

/**
 * Returns why a client may not use the tunnel, or null. The tunnel has no token, so it rejects web pages. They send an
 * Origin header, or use a DNS name that points here (DNS rebinding). Chromium protects its DevTools port in the same
 * way.
 */
export function checkCaller({ headers }: Pick<IncomingMessage, 'headers'>): string | null {
  if (!LOCAL_HOST.test(headers.host ?? '')) return 'The Host has to be an address of this machine.';
  if (headers.origin !== undefined) return 'Web pages may not use this tunnel.';
  return null;
}
