import { type IncomingMessage, request as dialled, type RequestOptions } from 'node:http';
import { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { BoundedBytes, parseJson, type Route, SuiteError, suiteLimit, userAgent } from '#conformance/index.ts';
import { isJsonObject, type JsonObject } from '#lib/json.ts';
import { stripEnd } from '#lib/trim-end.ts';
import { refusedBy, silent, TunnelFault, unreachable, type BrowserTarget } from './tunnel-fault.ts';

/** Maximum size in bytes of Chromium's version description, which usually has less than a kilobyte. */
const descriptionBytesMax = 65_536;

/**
 * Timeout for the body of a response, in milliseconds. The service may have to start the browser before it sends the
 * head of the response, but the body follows at once.
 */
const bodyTimeoutMs = 30_000;

/**
 * Finds the websocket URL of a browser by its cdpUrl. A websocket URL is used directly; for an http(s) URL, the
 * response of `/json/version` contains the websocket URL (companion 8, D1 and D2). Rejects with SuiteError `usage` for
 * an invalid URL, and with a TunnelFault when the host cannot be reached, does not respond, or names no browser.
 */
export async function findBrowser(cdpUrl: string, route: Route): Promise<BrowserTarget> {
  const url = URL.parse(cdpUrl);
  if (url === null || !/^(ws|http)s?:$/.test(url.protocol)) throw wrongAddress();
  if (url.protocol.startsWith('ws')) return { away: url, route };
  const asked = new URL(url);
  asked.pathname = `${stripEnd(url.pathname, /\//)}/json/version`;
  const named = URL.parse(await askFor({ away: asked, route }));
  if (named === null || !/^wss?:$/.test(named.protocol)) throw namesNone(url);
  return { away: named, route };
}

/**
 * Requests a version description and returns its `webSocketDebuggerUrl`; '' without this member. Rejects with a
 * TunnelFault for any status but 200, and when the host cannot be reached.
 */
async function askFor(way: BrowserTarget): Promise<string> {
  const { away } = way;
  const answer = await get(way);
  const { statusCode = 0 } = answer;
  if (statusCode !== 200) {
    answer.destroy();
    throw refusedBy(away, statusCode);
  }
  const body: unknown = parseJson(await readBody(way, answer));
  const address = isJsonObject(body) ? body['webSocketDebuggerUrl'] : undefined;
  return typeof address === 'string' ? address : '';
}

/**
 * Returns the body of a response as text. Rejects with a TunnelFault for a body that is too large or does not end in
 * time.
 */
async function readBody({ away }: BrowserTarget, answer: IncomingMessage): Promise<string> {
  const collected = new BoundedBytes(descriptionBytesMax);
  const timer = setTimeout(() => answer.destroy(new Error('its body did not end in time')), bodyTimeoutMs);
  try {
    for await (const part of answer) {
      if (!collected.add(part)) throw new Error(`its body is longer than ${descriptionBytesMax} bytes`);
    }
  } catch (error) {
    throw unreachable(away, error instanceof Error ? error : new Error(String(error)));
  } finally {
    clearTimeout(timer);
  }
  return collected.bytes().toString();
}

function get(way: BrowserTarget): Promise<IncomingMessage> {
  const { pathname, search, host } = way.away;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { host, 'user-agent': userAgent };
  const asked = dialled({ path: `${pathname}${search}`, headers, createConnection: dial(way) })
    .once('response', resolve)
    .once('error', (error) => reject(unreachable(way.away, error)));
  const timer = setTimeout(() => {
    reject(silent(way.away, 'GET /json/version'));
    asked.destroy();
  }, answerTimeoutMs);
  asked.end();
  return promise.finally(() => clearTimeout(timer));
}

function wrongAddress(): SuiteError {
  return new SuiteError('usage', {
    found: 'a malformed address',
    expected: 'a cdpUrl, which starts with ws://, wss://, http:// or https://',
    next: 'use the cdpUrl of a browser as it was given',
  });
}

function namesNone({ host }: URL): TunnelFault {
  return new TunnelFault({
    found: `that ${host} names no webSocketDebuggerUrl at /json/version`,
    expected: 'one that starts with ws:// or wss://',
    next: 'use the cdpUrl of a browser as it was given',
  });
}

/** Timeout of a response in milliseconds; the service may have to start the browser first. */
export const answerTimeoutMs = 60_000;

/**
 * Sends one command over its own connection. Resolves with the result; with an empty object for an error reply. Rejects
 * with a TunnelFault when the host does not respond, is no browser, or takes longer than a minute.
 */
export async function askBrowser(way: BrowserTarget, method: string): Promise<JsonObject> {
  const { away } = way;
  const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
  const options = {
    perMessageDeflate: false,
    createConnection: dial(way),
    maxPayload: suiteLimit('cdpAnswer'),
    headers: { 'user-agent': userAgent },
  };
  const socket = new WebSocket(away, options);
  const timer = setTimeout(() => reject(silent(away, method)), answerTimeoutMs);
  socket.once('open', () => socket.send(JSON.stringify({ id: 1, method })));
  socket.on('message', (data: Buffer) => {
    const reply: unknown = parseJson(data.toString());
    if (isJsonObject(reply) && reply['id'] === 1) resolve(isJsonObject(reply['result']) ? reply['result'] : {});
  });
  socket.once('unexpected-response', (_request, { statusCode = 0 }) => reject(refusedBy(away, statusCode)));
  socket.on('error', (error) => reject(unreachable(away, error)));
  socket.once('close', () => reject(unreachable(away, new Error('the connection was closed'))));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    socket.terminate();
  }
}

/**
 * Returns a `createConnection` function for HTTP requests of Node. It connects to the browser through the route,
 * regardless of the URL of the request, with TCP_NODELAY.
 */
export function dial({ away, route }: BrowserTarget): NonNullable<RequestOptions['createConnection']> {
  return (_options, done) => {
    route.open(away).then(
      (socket) => done(null, socket.setNoDelay(true)),
      // The typings require a socket even for an error; it is not used.
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error)), new Socket()),
    );
    return undefined;
  };
}
