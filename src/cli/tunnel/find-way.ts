import { type IncomingMessage, request as dialled } from 'node:http';
import { BoundedBytes, type Route, SuiteError, parseJson, userAgent } from '#conformance/index.ts';
import { isJsonObject } from '#lib/json.ts';
import { dial } from './dial.ts';
import { TunnelFault, refusedBy, unreachable } from './tunnel-fault.ts';
import type { Way } from './way.ts';
import { withoutEnd } from '#lib/trim-end.ts';

/** What Chromium says of its version has less than a kilobyte. */
const DESCRIPTION_BYTES_MAX = 65_536;

/** A service may have to start the browser before it answers; its answer then comes at once. */
const BODY_TIMEOUT_MS = 30_000;

/**
 * The way to the browser of a cdpUrl: a websocket address is the way itself, an http(s) address names it in its
 * `/json/version` (companion 8, D1 and D2). Throws SuiteError `usage` for what is no such address, and a TunnelFault where
 * nobody names one.
 */
export async function findWay(cdpUrl: string, route: Route): Promise<Way> {
  const url = URL.parse(cdpUrl);
  if (url === null || !/^(ws|http)s?:$/.test(url.protocol)) throw wrongAddress();
  if (url.protocol.startsWith('ws')) return { away: url, route };
  const asked = new URL(url);
  asked.pathname = `${withoutEnd(url.pathname, /\//)}/json/version`;
  const named = URL.parse(await askFor({ away: asked, route }));
  if (named === null || !/^wss?:$/.test(named.protocol)) throw namesNone(url);
  return { away: named, route };
}

/** The webSocketDebuggerUrl at an address; empty when its answer has none. */
async function askFor(way: Way): Promise<string> {
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

/** The body of an answer as text. Rejects with a TunnelFault for a body that is longer than a description, or that does not end in time. */
async function readBody({ away }: Way, answer: IncomingMessage): Promise<string> {
  const collected = new BoundedBytes(DESCRIPTION_BYTES_MAX);
  const timer = setTimeout(() => answer.destroy(new Error('its body did not end in time')), BODY_TIMEOUT_MS);
  try {
    for await (const part of answer) {
      if (!collected.add(part)) throw new Error(`its body is longer than ${DESCRIPTION_BYTES_MAX} bytes`);
    }
  } catch (error) {
    throw unreachable(away, error instanceof Error ? error : new Error(String(error)));
  } finally {
    clearTimeout(timer);
  }
  return collected.bytes().toString();
}

function get(way: Way): Promise<IncomingMessage> {
  const { pathname, search, host } = way.away;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  dialled({ path: `${pathname}${search}`, headers: { host, 'user-agent': userAgent }, createConnection: dial(way) })
    .once('response', resolve)
    .once('error', (error) => reject(unreachable(way.away, error)))
    .end();
  return promise;
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
