import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Problem, problem } from '#domain/problems.ts';
import type { RuleBook } from '#domain/rule-book.ts';
import type { HostedBrowser } from '../host.ts';
import type { HostLog } from '../host-log.ts';
import { type Audit, noAudit } from './audit/audit.ts';
import { checkHandshake } from './check-handshake.ts';
import { connectClient } from './connect-client.ts';
import { describeBrowser, describeTargets } from './describe-browser.ts';
import type { GatewayLimits } from './gateway-limits.ts';
import { createHeartbeat } from './heartbeat.ts';
import { openBrowser } from './open-browser.ts';
import { boundPeers, createPeer, type Peer } from './peers.ts';
import { createCdpPolicy } from './policy/create-policy.ts';
import { refuseUpgrade } from './refuse-upgrade.ts';
import { shut } from './shut.ts';
import { tokenOf } from './token-of.ts';

/** What a gateway is made of. */
export interface GatewayOptions {
  /** The browser behind a token, started when it is not running; null when there is none or it was stopped. */
  readonly open: (token: string) => Promise<HostedBrowser | null>;
  /** The id of the browser behind a token, for the audit. */
  readonly idOf: (token: string) => Promise<string>;
  /** @defaultValue nothing is noted */
  readonly audit?: Audit;
  /** The public DevTools address of a token. */
  readonly address: (token: string) => string;
  readonly rules: RuleBook;
  readonly limits: GatewayLimits;
  readonly log: HostLog;
}

/** What a GET below a DevTools address asks for. */
export type Discovery = 'version' | 'list';

/** The way in for DevTools clients from outside. */
export interface CdpGateway {
  /** Whether an upgrade request is for this gateway, whoever may have made it. */
  takes(request: IncomingMessage): boolean;
  /** Makes the connection a client of its browser, or answers why not. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** What is answered to a GET below the address; null for a token that opens nothing. */
  discover(token: string, wanted: Discovery): Promise<unknown>;
  /** Ends every connection; idempotent. */
  close(): Promise<void>;
}

/** A browser that a client may join, and its id. */
interface Admitted {
  readonly browser: HostedBrowser;
  readonly id: string;
}

/** How long a client has to answer a closing handshake before its connection is cut. */
const CLOSE_TIMEOUT_MS = 2_000;

/** A gateway without a network of its own: whoever has the HTTP server hands it the upgrades. */
export function createCdpGateway(options: GatewayOptions): CdpGateway {
  const { rules, limits, log, audit: notes = noAudit } = options;
  const policy = createCdpPolicy(rules.cdpPolicy);
  const server = createServer(limits);
  const heartbeat = createHeartbeat(limits);
  const pending = new Set<Duplex>();
  const clients = new Map<HostedBrowser, Set<Peer>>();
  let closed = false;

  const refuse = (socket: Duplex, found: Problem): void => refuseUpgrade(socket, found, rules);
  const welcome = (socket: WebSocket, { browser, id }: Admitted, stream: Socket): void => {
    heartbeat.watch(socket, stream);
    const audit = notes.joined({ browser: id, from: stream.remoteAddress ?? '' });
    socket.once('close', (code) => audit.left(code));
    const peers = keep(clients, browser, createPeer(socket, stream));
    stream.on('data', () => boundPeers({ ...limits, peers, table: rules.cdpPolicy }));
    void connectClient({ socket, browser, peers, policy, table: rules.cdpPolicy, limits, audit, log });
  };
  const admit = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const token = tokenOf(request.url) ?? '';
    const browser = closed ? null : await openBrowser(options.open, token);
    const id = browser === null ? '' : await options.idOf(token);
    if (closed) return refuse(socket, problem('browser_not_started', {}));
    if (browser === null) return refuse(socket, problem('route_not_found', {}));
    const active = clients.get(browser)?.size ?? 0;
    if (active >= limits.clientsMax) return refuse(socket, tooMany(active, limits.clientsMax));
    server.handleUpgrade(request, socket, head, (client) => welcome(client, { browser, id }, request.socket));
  };
  return {
    takes: (request) => tokenOf(request.url) !== null,
    upgrade(request, socket, head) {
      const lacking = checkHandshake(request);
      const release = guard(pending, socket, log);
      const answered = lacking === null ? admit(request, socket, head) : Promise.resolve(refuse(socket, lacking));
      answered
        .catch((error: unknown) => {
          log.warn({ err: error }, 'a DevTools client found no browser');
          refuse(socket, problem('browser_not_started', {}));
        })
        .finally(release);
    },
    async discover(token, wanted) {
      const browser = await openBrowser(options.open, token);
      if (browser === null) return null;
      return wanted === 'version' ? describeBrowser(browser, options.address(token)) : describeTargets(browser);
    },
    async close() {
      closed = true;
      heartbeat.close();
      for (const socket of pending) socket.destroy();
      await Promise.all(Array.from(server.clients, (socket) => farewell(socket, rules)));
    },
  };
}

/** Every message as it is: compressing made screenshots slower, and a client may send a page's whole content. */
function createServer({ messageBytesMax }: GatewayLimits): WebSocketServer {
  // A name of its own, because the typings do not know closeTimeout yet (ws 8.19).
  const options = {
    noServer: true,
    perMessageDeflate: false,
    maxPayload: messageBytesMax,
    closeTimeout: CLOSE_TIMEOUT_MS,
  };
  return new WebSocketServer(options);
}

/** Owns a connection between its request and its becoming a websocket; the returned function gives it up. */
function guard(pending: Set<Duplex>, socket: Duplex, log: HostLog): () => void {
  const onError = (error: Error): void => log.info({ err: error }, 'a DevTools client went away early');
  socket.on('error', onError);
  pending.add(socket);
  return () => {
    pending.delete(socket);
  };
}

function keep(clients: Map<HostedBrowser, Set<Peer>>, browser: HostedBrowser, peer: Peer): ReadonlySet<Peer> {
  const peers = clients.get(browser) ?? new Set();
  clients.set(browser, peers.add(peer));
  peer.socket.once('close', () => {
    peers.delete(peer);
    if (peers.size === 0) clients.delete(browser);
  });
  return peers;
}

function tooMany(active: number, limit: number): Problem {
  return problem('too_many_clients', { active: String(active), limit: String(limit) });
}

function farewell(socket: WebSocket, { cdpPolicy: table }: RuleBook): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.once('close', () => resolve());
  shut({ socket, table }, 'shuttingDown');
  return promise;
}
