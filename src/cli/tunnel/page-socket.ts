import { WebSocket, WebSocketServer } from 'ws';
import { parseJson, suiteLimit, userAgent } from '#conformance/index.ts';
import { isJsonObject } from '#lib/json.ts';
import { ANSWER_TIMEOUT_MS, dial } from './find-browser.ts';
import { type UpgradeRequest, type ConnectionListener, refuse } from './pass-on.ts';
import { refusedBy, silent, TunnelFault, unreachable, type BrowserTarget } from './tunnel-fault.ts';

/** Maximum number of buffered bytes for one side; above it the other side is not read. */
const WAITING_BYTES_MAX = 1_048_576;

/** The upgrade request of a client for one page. */
export interface PageUpgradeRequest extends UpgradeRequest {
  readonly targetId: string;
}

/** Returns the target id of a page path, `/devtools/page/<id>` as on Chromium's own port; null for any other path. */
export function pageTarget(path = ''): string | null {
  return /^\/devtools\/page\/([\w-]{1,100})$/.exec(path)?.[1] ?? null;
}

/**
 * Connects a client to one page: it opens a connection to the browser, and a session of the page whose id the client
 * never sees. Refuses the handshake with 404 for an unknown target. The connection ends with the page.
 */
export async function openPageSocket(
  way: BrowserTarget,
  knock: PageUpgradeRequest,
  listener: ConnectionListener,
): Promise<void> {
  const { request, client, head, targetId } = knock;
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

/** Opens a session of a target. Resolves with its id, or null for an unknown target; rejects with a TunnelFault. */
async function attach(service: WebSocket, away: URL, targetId: string): Promise<string | null> {
  const { promise, resolve, reject } = Promise.withResolvers<string | null>();
  const method = 'Target.attachToTarget';
  const timer = setTimeout(() => reject(silent(away, method)), ANSWER_TIMEOUT_MS);
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

/**
 * Sends a message from one side to the other, and pauses the sender while too many bytes are buffered for the receiver.
 */
function carry(from: WebSocket, to: WebSocket, text: string): void {
  to.send(text, () => from.resume());
  if (to.bufferedAmount > WAITING_BYTES_MAX) from.pause();
}

/** Returns a command of the client with the session of the page, unless it names a session that the client opened. */
function forBrowser(text: string, session: string): string {
  const message = parseJson(text);
  return isJsonObject(message) && !('sessionId' in message) ? JSON.stringify({ ...message, sessionId: session }) : text;
}

/**
 * Returns a browser message for the client: null for messages of the browser itself, `detached` when the page has
 * closed.
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
