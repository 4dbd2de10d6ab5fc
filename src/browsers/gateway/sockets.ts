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

/** Format of Sec-WebSocket-Key: 16 bytes in base64 (RFC 6455, 4.1). */
const keyPattern = /^[A-Za-z0-9+/]{22}==$/;

/** Format of a token in header values (RFC 9110, 5.6.2). */
const tokenPattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Requirements for every WebSocket handshake (RFC 6455, 4.2.1); the client receives `wanted` in a refusal. */
const checks: readonly { readonly wanted: string; readonly holds: (request: IncomingMessage) => boolean }[] = [
  { wanted: 'GET', holds: ({ method }) => method === 'GET' },
  { wanted: 'HTTP/1.1', holds: ({ httpVersion }) => httpVersion === '1.1' },
  { wanted: 'Host', holds: ({ headers }) => headers.host !== undefined },
  { wanted: 'Sec-WebSocket-Version: 13', holds: ({ headers }) => headers['sec-websocket-version'] === '13' },
  { wanted: 'Sec-WebSocket-Key', holds: ({ headers }) => keyPattern.test(headers['sec-websocket-key'] ?? '') },
  {
    wanted: 'a list of names as Sec-WebSocket-Protocol',
    holds: ({ headers }) => isList(headers['sec-websocket-protocol']),
  },
];

/**
 * Returns whether a Sec-WebSocket-Protocol header is a list of valid tokens without duplicates. True for an absent
 * header.
 */
function isList(protocols: string | undefined): boolean {
  if (protocols === undefined) return true;
  const names = protocols.split(',').map((name) => name.trim());
  return new Set(names).size === names.length && names.every((name) => tokenPattern.test(name));
}

/**
 * Returns a problem that names the first requirement of a WebSocket handshake that the request violates; null for a
 * valid request. Called before a browser is started.
 */
export function checkHandshake(request: IncomingMessage): Problem | null {
  const missing = checks.find(({ holds }) => !holds(request));
  return missing === undefined ? null : problem('not_a_handshake', { wanted: missing.wanted });
}

/** Answers an upgrade request with an HTTP error and closes the connection. */
export function refuseUpgrade(socket: Duplex, found: Problem, rules: RuleBook): void {
  socket.once('finish', () => socket.destroy());
  socket.end(refusalText(renderProblem(found, rules)));
}

/**
 * A DevTools session that is opened before the websocket of its client is accepted. Thus every accepted websocket has a
 * browser.
 */
export interface Seat {
  readonly browser: HostedBrowser;
  readonly client: CdpClient;
  /**
   * Sets the listener for messages from the browser. Calls the listener's `closed` at once when the browser has already
   * ended. Must be called at most once.
   */
  occupy(listener: CdpListener): void;
}

/** Opens a DevTools session at a browser; rejects when the browser has ended. The caller closes the session. */
export async function takeSeat(browser: HostedBrowser): Promise<Seat> {
  let taken: CdpListener | null = null;
  let end: string | null = null;
  const client = await browser.attach({
    // No message arrives before the client sends a command, and the client sends no command before the handshake.
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

/** Detects connections whose other end has vanished. */
export interface Heartbeat {
  /** Pings a websocket until it closes; `stream` is the TCP connection of the websocket. */
  watch(socket: WebSocket, stream: Pick<Socket, 'bytesRead'>): void;
  close(): void;
}

interface Watched {
  readonly stream: Pick<Socket, 'bytesRead'>;
  bytesRead: number;
  missed: number;
}

/**
 * Creates a heartbeat that pings all connections with one timer. Closes a connection after `pingsUnansweredMax`
 * consecutive pings without any received byte. Other bytes count as an answer, because a busy client may answer pings
 * late. A connection whose reading is paused is not closed.
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

/** Names of the close codes and reasons in spec/rules/cdp-policy.yaml. */
export type ClosingName = (typeof cdpPolicy)['closings'][number]['closing'];

/**
 * Name of the event that a websocket emits when the gateway begins to close it. Its argument is a {@link ClosingName}.
 * Not emitted for a websocket that is already closing.
 */
export const shutEvent = 'svc:shut';

/**
 * Maximum length of a close reason. A close frame holds at most 123 bytes (RFC 6455, 5.5), and each character is one
 * byte.
 */
const reasonLengthMax = 120;
const notOneByte = /[^\x20-\x7e]/g;

/**
 * Closes a websocket with the code and reason of a table row. Has no effect on a websocket that is already closing.
 * Throws if the table has no row of this name.
 */
export function shut(
  { socket, table }: { readonly socket: WebSocket; readonly table: RuleBook['cdpPolicy'] },
  name: ClosingName,
  values: Readonly<Record<string, string>> = {},
): void {
  const row = table.closings.find(({ closing }) => closing === name);
  if (row === undefined) throw new Error(`cdpPolicy: found no closing ${name}`);
  const reason = fillTemplate(row.reason, values).replaceAll(notOneByte, '?');
  if (socket.readyState === socket.OPEN) socket.emit(shutEvent, name);
  socket.close(row.code, reason.slice(0, reasonLengthMax));
  // A paused connection would never receive the close frame of the other end.
  socket.resume();
}

/** One client connection of a browser. The buffered bytes of all connections of the browser have a common limit. */
export interface Peer {
  readonly socket: WebSocket;
  /**
   * Returns the number of bytes that the service buffers for this connection: unsent messages, and received bytes of an
   * incomplete message.
   */
  kept(): number;
}

/**
 * Creates a peer from a websocket and its TCP connection. The bytes of the TCP connection show how much of an
 * incomplete message has arrived.
 */
export function createPeer(socket: WebSocket, stream: Pick<Socket, 'prependListener'>): Peer {
  let unfinished = 0;
  // This listener runs before the listener of the websocket, which reports a complete message within the same tick.
  stream.prependListener('data', ({ length }: Buffer) => {
    unfinished += length;
  });
  socket.on('message', () => {
    unfinished = 0;
  });
  return { socket, kept: () => socket.bufferedAmount + unfinished };
}

/** Connections of one browser and their limits. */
export interface PeerRules {
  readonly peers: ReadonlySet<Peer>;
  readonly limits: Pick<GatewayLimits, 'browserBacklogBytesMax'>;
  readonly table: RuleBook['cdpPolicy'];
}

/** Closes the connection with the most buffered bytes when all connections of a browser together exceed their limit. */
export function boundPeers({ peers, limits, table }: PeerRules): void {
  let [sum, most] = [0, 0];
  let heaviest: WebSocket | null = null;
  for (const peer of peers) {
    // A closing connection receives nothing more and is cut after some seconds.
    if (peer.socket.readyState !== peer.socket.OPEN) continue;
    const kept = peer.kept();
    sum += kept;
    if (kept > most) [most, heaviest] = [kept, peer.socket];
  }
  if (sum > limits.browserBacklogBytesMax && heaviest !== null) shut({ socket: heaviest, table }, 'tooMuchKept');
}
