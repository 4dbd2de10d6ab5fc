import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Problem, problem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { HostLog } from '../host-log.ts';
import type { GatewayLimits } from './gateway-limits.ts';
import { checkHandshake, createHeartbeat, refuseUpgrade, shut } from './sockets.ts';

/** An upgrade request with its connection. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** Bytes after the request. */
  readonly head: Buffer;
}

/** Dependencies of a websocket endpoint. */
export interface EndpointOptions {
  readonly rules: RuleBook;
  readonly limits: Pick<GatewayLimits, 'messageBytesMax' | 'pingIntervalMs' | 'pingsUnansweredMax'>;
  readonly log: HostLog;
  /** Kind of client, for the log. */
  readonly client: 'DevTools client' | 'viewer';
  /**
   * Called for each valid handshake, to answer it with `accept` or `refuse`. If the promise rejects, the client
   * receives a refusal.
   */
  readonly admit: (upgrade: Upgrade) => Promise<void>;
}

/** A websocket endpoint without a server of its own: the HTTP server passes upgrade requests to it. */
export interface WebSocketEndpoint {
  /** Open connections. */
  readonly clients: ReadonlySet<WebSocket>;
  /** Returns whether `close` was called. */
  isClosed(): boolean;
  /**
   * Handles an upgrade request: passes a valid handshake to `admit`, and answers any other request with an HTTP error.
   */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /**
   * Completes the handshake and calls `welcome` with the websocket. Returns false if the handshake failed or the client
   * has disconnected.
   */
  accept(upgrade: Upgrade, welcome: (socket: WebSocket) => void): boolean;
  /** Responds with an HTTP error. */
  refuse(upgrade: Pick<Upgrade, 'socket'>, found: Problem): void;
  /** Closes every connection; idempotent. */
  close(): Promise<void>;
}

/** Timeout of the closing handshake, in milliseconds. */
const closeTimeoutMs = 2_000;

/** Creates a websocket endpoint. It checks handshakes, and closes connections whose client no longer answers pings. */
export function createWebSocketEndpoint(options: EndpointOptions): WebSocketEndpoint {
  const { rules, limits, log, client, admit } = options;
  const server = createServer(limits.messageBytesMax);
  const heartbeat = createHeartbeat(limits);
  const pending = new Set<Duplex>();
  let closed = false;
  const refuse: WebSocketEndpoint['refuse'] = ({ socket }, found) => refuseUpgrade(socket, found, rules);
  const answer = async (upgrade: Upgrade): Promise<void> => {
    const missing = checkHandshake(upgrade.request);
    if (missing === null) await admit(upgrade);
    else refuse(upgrade, missing);
  };
  return {
    clients: server.clients,
    isClosed: () => closed,
    upgrade(request, socket, head) {
      socket.on('error', (error) => log.info({ err: error }, `a ${client} disconnected during its handshake`));
      pending.add(socket);
      answer({ request, socket, head })
        .catch((error: unknown) => {
          log.warn({ err: error }, `a ${client} could not be connected to a browser`);
          refuse({ socket }, problem('browser_not_started', {}));
        })
        .finally(() => pending.delete(socket));
    },
    accept({ request, socket, head }, welcome) {
      let isAccepted = false;
      server.handleUpgrade(request, socket, head, (accepted) => {
        isAccepted = true;
        heartbeat.watch(accepted, request.socket);
        welcome(accepted);
      });
      return isAccepted;
    },
    refuse,
    async close() {
      closed = true;
      heartbeat.close();
      for (const socket of pending) socket.destroy();
      await Promise.all(Array.from(server.clients, (socket) => closeClient(socket, rules.cdpPolicy)));
    },
  };
}

/**
 * Creates a websocket server without compression, because compression slows down screenshots and does not shrink JPEG
 * data.
 */
function createServer(messageBytesMax: number): WebSocketServer {
  // The typings of ws 8.19 lack closeTimeout.
  const options = {
    noServer: true,
    perMessageDeflate: false,
    maxPayload: messageBytesMax,
    closeTimeout: closeTimeoutMs,
  };
  return new WebSocketServer(options);
}

function closeClient(socket: WebSocket, table: RuleBook['cdpPolicy']): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.once('close', () => resolve());
  shut({ socket, table }, 'shuttingDown');
  return promise;
}
