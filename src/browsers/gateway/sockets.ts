import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { fillTemplate, type Problem, problem, renderProblem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { cdpPolicy } from '#generated/rules.ts';
import { refusalText } from '#lib/http.ts';
import type { HostedBrowser } from '../host.ts';
import type { CdpClient, CdpListener } from '../pipe/cdp-client.ts';
import type { GatewayLimits } from './gateway-limits.ts';

/** A key is 16 bytes in base64 (RFC 6455, 4.1). */
const KEY = /^[A-Za-z0-9+/]{22}==$/;

/** A name as headers have them (RFC 9110, 5.6.2). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** What every handshake has, in the words of RFC 6455, 4.2.1. */
const CHECKS: readonly { readonly wanted: string; readonly holds: (request: IncomingMessage) => boolean }[] = [
  { wanted: 'GET', holds: ({ method }) => method === 'GET' },
  { wanted: 'HTTP/1.1', holds: ({ httpVersion }) => httpVersion === '1.1' },
  { wanted: 'Host', holds: ({ headers }) => headers.host !== undefined },
  { wanted: 'Sec-WebSocket-Version: 13', holds: ({ headers }) => headers['sec-websocket-version'] === '13' },
  { wanted: 'Sec-WebSocket-Key', holds: ({ headers }) => KEY.test(headers['sec-websocket-key'] ?? '') },
  {
    wanted: 'a list of names as Sec-WebSocket-Protocol',
    holds: ({ headers }) => isList(headers['sec-websocket-protocol']),
  },
];

/** Whether the names of protocols, where there are any, are tokens of which none comes twice. */
function isList(protocols: string | undefined): boolean {
  if (protocols === undefined) return true;
  const names = protocols.split(',').map((name) => name.trim());
  return new Set(names).size === names.length && names.every((name) => TOKEN.test(name));
}

/** What an upgrade request lacks to be a handshake, or null: asked before a browser is started for it. */
export function checkHandshake(request: IncomingMessage): Problem | null {
  const missing = CHECKS.find(({ holds }) => !holds(request));
  return missing === undefined ? null : problem('not_a_handshake', { wanted: missing.wanted });
}

/** Answers an upgrade request with a refusal in HTTP and ends the connection. */
export function refuseUpgrade(socket: Duplex, found: Problem, rules: RuleBook): void {
  socket.once('finish', () => socket.destroy());
  socket.end(refusalText(renderProblem(found, rules)));
}

/** A DevTools session that is opened before its connection: an accepted connection always has a browser. */
export interface Seat {
  readonly browser: HostedBrowser;
  readonly client: CdpClient;
  /** Tells a listener what comes from now on, and at once that the browser has ended where it has. Called at most once. */
  occupy(listener: CdpListener): void;
}

/** Joins a browser; rejects when it has ended. The seat is its taker's to close. */
export async function takeSeat(browser: HostedBrowser): Promise<Seat> {
  let taken: CdpListener | null = null;
  let end: string | null = null;
  const client = await browser.attach({
    // Nothing comes before the client has sent something, and it sends nothing before it has the seat.
    message: (message) => taken?.message(message),
    unread: (bytes) => taken?.unread?.(bytes),
    closed(reason) {
      end = reason;
      taken?.closed(reason);
    },
  });
  return {
    browser,
    client,
    occupy(listener) {
      taken = listener;
      if (end !== null) listener.closed(end);
    },
  };
}

/** Finds connections whose other end has vanished without a word. */
export interface Heartbeat {
  /** Pings a websocket until it closes; `stream` is the connection below it. */
  watch(socket: WebSocket, stream: Pick<Socket, 'bytesRead'>): void;
  close(): void;
}

interface Watched {
  readonly stream: Pick<Socket, 'bytesRead'>;
  bytesRead: number;
  missed: number;
}

/**
 * Pings all connections on one timer. A client need not ping, and a busy one may leave pings unanswered for minutes: only then
 * its connection is cut. Every byte of a client is a sign of life, also one of a large message that is not complete; one that is
 * not read from cannot give any.
 */
export function createHeartbeat({
  pingIntervalMs,
  pingsUnansweredMax,
}: Pick<GatewayLimits, 'pingIntervalMs' | 'pingsUnansweredMax'>): Heartbeat {
  const all = new Map<WebSocket, Watched>();
  const beat = (socket: WebSocket, watched: Watched): void => {
    const { bytesRead } = watched.stream;
    if (socket.isPaused || bytesRead > watched.bytesRead) watched.missed = 0;
    watched.bytesRead = bytesRead;
    if (watched.missed >= pingsUnansweredMax) return socket.terminate();
    watched.missed += 1;
    if (socket.readyState === socket.OPEN) socket.ping();
  };
  const timer = setInterval(() => {
    for (const [socket, watched] of all) beat(socket, watched);
  }, pingIntervalMs);
  return {
    watch(socket, stream) {
      all.set(socket, { stream, bytesRead: stream.bytesRead, missed: 0 });
      socket.once('close', () => all.delete(socket));
    },
    close: () => clearInterval(timer),
  };
}

/** Names of the rows of spec/rules/cdp-policy.yaml that say how a connection is ended. */
export type ClosingName = (typeof cdpPolicy)['closings'][number]['closing'];

/** What a connection emits when it is ended by us, with the name of the row; not when it is closing already. */
export const shutEvent = 'svc:shut';

/** A reason in a close frame has at most 123 bytes (RFC 6455, 5.5), so it is kept to characters of one byte. */
const REASON_LENGTH_MAX = 120;
const NOT_ONE_BYTE = /[^\x20-\x7e]/g;

/** Begins the closing handshake of a connection; without effect on one that is closing. Throws when the table has no such row. */
export function shut(
  { socket, table }: { readonly socket: WebSocket; readonly table: RuleBook['cdpPolicy'] },
  name: ClosingName,
  values: Readonly<Record<string, string>> = {},
): void {
  const row = table.closings.find(({ closing }) => closing === name);
  if (row === undefined) throw new Error(`cdpPolicy: found no closing ${name}`);
  const reason = fillTemplate(row.reason, values).replaceAll(NOT_ONE_BYTE, '?');
  if (socket.readyState === socket.OPEN) socket.emit(shutEvent, name);
  socket.close(row.code, reason.slice(0, REASON_LENGTH_MAX));
  // A paused connection would never see the other end's answer.
  socket.resume();
}

/** One connection of a browser, as seen by what bounds them all together. */
export interface Peer {
  readonly socket: WebSocket;
  /** Bytes that the service keeps for it: what it has not read, and what it has sent of a message that is not finished. */
  kept(): number;
}

/** A websocket and the connection below it, from which what it has sent is known before a message is complete. */
export function createPeer(socket: WebSocket, stream: Pick<Socket, 'prependListener'>): Peer {
  let unfinished = 0;
  // Before the websocket, which tells within its own turn that a message is complete.
  stream.prependListener('data', ({ length }: Buffer) => {
    unfinished += length;
  });
  socket.on('message', () => {
    unfinished = 0;
  });
  return { socket, kept: () => socket.bufferedAmount + unfinished };
}

/** What the peers of one browser may have. */
export interface PeerRules {
  readonly peers: ReadonlySet<Peer>;
  readonly limits: Pick<GatewayLimits, 'browserBacklogBytesMax'>;
  readonly table: RuleBook['cdpPolicy'];
}

/** Ends the peer for which most is kept when more is kept for all of them than may be. */
export function boundPeers({ peers, limits, table }: PeerRules): void {
  let [sum, most] = [0, 0];
  let heaviest: WebSocket | null = null;
  for (const peer of peers) {
    // One that is ending gets nothing any more, and is cut after some seconds.
    if (peer.socket.readyState !== peer.socket.OPEN) continue;
    const kept = peer.kept();
    sum += kept;
    if (kept > most) [most, heaviest] = [kept, peer.socket];
  }
  if (sum > limits.browserBacklogBytesMax && heaviest !== null) shut({ socket: heaviest, table }, 'tooMuchKept');
}
