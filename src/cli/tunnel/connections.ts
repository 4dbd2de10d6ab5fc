import { type IncomingMessage, request as dialled, type RequestOptions } from 'node:http';
import type { Duplex } from 'node:stream';
import { dial, answerTimeoutMs } from './find-browser.ts';
import { refusedBy, TunnelFault, unreachable, type BrowserTarget, silent } from './tunnel-fault.ts';
import { WebSocket, WebSocketServer } from 'ws';
import { parseJson, suiteLimit, userAgent } from '#conformance/index.ts';
import { isJsonObject } from '#lib/json.ts';

/** The upgrade request of a client. */
export interface UpgradeRequest {
  readonly request: IncomingMessage;
  readonly client: Duplex;
  readonly head: Buffer;
}

/** Events of a tunnelled connection. */
export interface ConnectionListener {
  /** Called when the connection could not be established. The client has received an error response too. */
  failed(fault: TunnelFault): void;
  /** Called when an established connection has ended. It is unknown which side ended it. */
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

/** Answers an upgrade request with an HTTP status such as `404 Not Found`, and closes the connection. */
export function refuse(client: Duplex, status: string): void {
  client.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
}

function requestOptions(way: BrowserTarget, { headers }: IncomingMessage): RequestOptions {
  const { pathname, search, host } = way.away;
  const options = { path: `${pathname}${search}`, headers: { ...headers, host }, createConnection: dial(way) };
  return options;
}

/** Formats the status line and the headers of a response as they were received. */
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
  // A `close` event follows each error, and ends the other stream.
  from.on('error', () => undefined);
  from.once('close', () => {
    if (from.errored === null && from.readableEnded) to.end();
    else to.destroy();
    // Discards the remaining data of `to`: a stream with unread data never ends.
    to.resume();
    resolve();
  });
  from.pipe(to);
  return promise;
}

/** Matches the names of this machine, with or without port: chromedriver's handshake contains no port. */
const localHost = /^(127(\.\d{1,3}){3}|localhost|\[::1\])(:\d{1,5})?$/i;

/**
 * Returns the reason why a client may not use the tunnel; null if the client may use it. The tunnel requires no token,
 * so it rejects web pages: requests with an Origin header, or with a DNS name that points to this machine (DNS
 * rebinding). Chromium protects its DevTools port in the same way.
 */
export function checkCaller({ headers }: Pick<IncomingMessage, 'headers'>): string | null {
  if (!localHost.test(headers.host ?? '')) return 'The Host has to be an address of this machine.';
  if (headers.origin !== undefined) return 'Web pages may not use this tunnel.';
  return null;
}

/** Maximum number of bytes that are buffered for a receiver. Above it, reading from the sender pauses. */
const waitingBytesMax = 1_048_576;

/** The upgrade request of a client for one page. */
export interface PageUpgradeRequest extends UpgradeRequest {
  readonly targetId: string;
}

/** Returns the target id of a page path, `/devtools/page/<id>` as on Chromium's own port; null for any other path. */
export function pageTarget(path = ''): string | null {
  return /^\/devtools\/page\/([\w-]{1,100})$/.exec(path)?.[1] ?? null;
}

/**
 * Connects a client to one page: opens a connection to the browser and attaches to the page. The client never sees the
 * id of this DevTools session. Refuses the handshake with 404 for an unknown target, and with 502 when the browser
 * cannot be reached. The connection ends when the page closes.
 */
export async function openPageSocket(
  way: BrowserTarget,
  upgrade: PageUpgradeRequest,
  listener: ConnectionListener,
): Promise<void> {
  const { request, client, head, targetId } = upgrade;
  const service = new WebSocket(way.away, {
    perMessageDeflate: false,
    createConnection: dial(way),
    maxPayload: suiteLimit('cdpBrowserBacklog'),
    headers: { 'user-agent': userAgent },
  });
  client.once('close', () => service.close());
  try {
    const session = await attach(service, way.away, targetId);
    if (session === null) {
      refuse(client, '404 Not Found');
      return service.close();
    }
    const pages = new WebSocketServer({
      noServer: true,
      perMessageDeflate: false,
      maxPayload: suiteLimit('cdpMessage'),
    });
    return pages.handleUpgrade(request, client, head, (page) => {
      page.once('close', () => listener.ended());
      join(page, service, session);
    });
  } catch (error) {
    if (!(error instanceof TunnelFault)) throw error;
    service.terminate();
    if (client.destroyed) return undefined;
    refuse(client, '502 Bad Gateway');
    return listener.failed(error);
  }
}

/**
 * Attaches to a target. Resolves with the id of the DevTools session, or null for an unknown target; rejects with a
 * TunnelFault.
 */
async function attach(service: WebSocket, away: URL, targetId: string): Promise<string | null> {
  const { promise, resolve, reject } = Promise.withResolvers<string | null>();
  const method = 'Target.attachToTarget';
  const timer = setTimeout(() => reject(silent(away, method)), answerTimeoutMs);
  const read = (data: Buffer): void => {
    const reply = parseJson(data.toString());
    if (!isJsonObject(reply) || reply['id'] !== 1) return;
    // Later messages are read when the client is connected.
    service.pause();
    const session = isJsonObject(reply['result']) ? reply['result']['sessionId'] : null;
    resolve(typeof session === 'string' ? session : null);
  };
  service.on('message', read);
  service.once('open', () => service.send(JSON.stringify({ id: 1, method, params: { targetId, flatten: true } })));
  service.once('unexpected-response', (_request, { statusCode = 0 }) => reject(refusedBy(away, statusCode)));
  service.on('error', (error) => reject(unreachable(away, error)));
  service.once('close', () => reject(unreachable(away, new Error('the connection was closed'))));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    service.off('message', read);
  }
}

function join(page: WebSocket, service: WebSocket, session: string): void {
  page.on('message', (data: Buffer) => carry(page, service, forBrowser(data.toString(), session)));
  service.on('message', (data: Buffer) => {
    const message = forPage(data.toString(), session);
    if (message === null) return;
    if (message !== 'detached') return carry(service, page, message);
    page.send(JSON.stringify({ method: 'Inspector.detached', params: { reason: 'target_closed' } }));
    return page.close(1000, 'target closed');
  });
  page.on('error', () => page.terminate());
  page.once('close', () => service.close());
  // Codes 1005 and 1006 mean an end without a code, and must not be sent.
  service.once('close', (code, reason) => (code === 1005 || code === 1006 ? page.close() : page.close(code, reason)));
  service.resume();
}

/** Sends a message, and pauses the sender while too many bytes are buffered for the receiver. */
function carry(from: WebSocket, to: WebSocket, text: string): void {
  to.send(text, () => from.resume());
  if (to.bufferedAmount > waitingBytesMax) from.pause();
}

/**
 * Returns a command of the client with the id of the DevTools session of the page. Returns a command that has a
 * `sessionId`, and text that is no JSON object, unchanged.
 */
function forBrowser(text: string, session: string): string {
  const message = parseJson(text);
  return isJsonObject(message) && !('sessionId' in message) ? JSON.stringify({ ...message, sessionId: session }) : text;
}

/**
 * Returns a message of the browser as the client of a page gets it: without the id of the page's session. Messages of
 * sessions that the client has opened stay unchanged. Returns null for messages without a session, and `detached` when
 * the page has closed.
 */
function forPage(text: string, session: string): string | null {
  const message = parseJson(text);
  if (!isJsonObject(message)) return text;
  const { sessionId, ...rest } = message;
  if (sessionId === session) return JSON.stringify(rest);
  if (sessionId !== undefined) return text;
  const { method, params } = message;
  const isDetached = method === 'Target.detachedFromTarget' && isJsonObject(params) && params['sessionId'] === session;
  return isDetached ? 'detached' : null;
}
