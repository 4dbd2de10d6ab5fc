import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Problem, problem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import type { Tracer } from '#lib/tracer.ts';
import type { HostedBrowser } from '../host.ts';
import type { HostLog } from '../host-log.ts';
import { within } from '../within.ts';
import { type Audit, noAudit } from './audit.ts';
import { connectClient, leaveSeat } from './connect-client.ts';
import { drawConnection } from './draw-connection.ts';
import type { GatewayLimits } from './gateway-limits.ts';
import { createCdpPolicy } from './policy.ts';
import {
  boundPeers,
  checkHandshake,
  createHeartbeat,
  createPeer,
  type Peer,
  refuseUpgrade,
  type Seat,
  shut,
  takeSeat,
} from './sockets.ts';

/** What a gateway is made of. */
export interface GatewayOptions {
  /** The browser behind a token, started when it is not running; null when there is none or it was stopped. */
  readonly open: OpenBrowser;
  /** The id of the browser behind a token, for the audit. */
  readonly idOf: (token: string) => Promise<string>;
  /** @defaultValue nothing is noted */
  readonly audit?: Audit;
  /** The public DevTools address of a token. */
  readonly address: (token: string) => string;
  readonly rules: RuleBook;
  readonly limits: GatewayLimits;
  readonly log: HostLog;
  /** Draws connections over time. @defaultValue nobody does */
  readonly tracer?: Pick<Tracer, 'request'>;
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

/** A client whose handshake is done. */
interface Arrival {
  readonly seat: Seat;
  /** The id of its browser. */
  readonly id: string;
  readonly request: IncomingMessage;
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
  const welcome = (socket: WebSocket, { seat, id, request }: Arrival): void => {
    const stream = request.socket;
    drawConnection(options.tracer, { request, socket, name: 'DevTools client', facts: { 'svc.browser.id': id } });
    heartbeat.watch(socket, stream);
    const audit = notes.joined({ browser: id, from: stream.remoteAddress ?? '' });
    socket.once('close', (code) => audit.left(code));
    const peers = keep(clients, seat.browser, createPeer(socket, stream));
    const parts = { socket, seat, peers, policy, table: rules.cdpPolicy, limits, audit, log };
    stream.on('data', () => boundPeers(parts));
    connectClient(parts);
  };
  const obstacle = (browser: HostedBrowser): Problem | null => {
    const active = clients.get(browser)?.size ?? 0;
    if (closed) return problem('browser_not_started', {});
    return active >= limits.clientsMax ? tooMany(active, limits.clientsMax) : null;
  };
  const admit = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const token = tokenOf(request.url) ?? '';
    if (closed) return refuse(socket, problem('browser_not_started', {}));
    const id = await options.idOf(token);
    // Before the handshake: whoever is let in has a browser, however many ended meanwhile.
    const seat = await withBrowser(options.open, token, takeSeat);
    if (seat === null) return refuse(socket, problem('route_not_found', {}));
    const found = obstacle(seat.browser);
    let isIn = false;
    if (found !== null) refuse(socket, found);
    else
      server.handleUpgrade(request, socket, head, (client) => {
        isIn = true;
        welcome(client, { seat, id, request });
      });
    // It was refused, or went away meanwhile.
    if (!isIn) leaveSeat(seat, log);
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
      return withBrowser<unknown>(options.open, token, (browser) =>
        wanted === 'version' ? describeBrowser(browser, options.address(token)) : describeTargets(browser),
      );
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

/** What Chromium answers to GET /json/version, with the public address as the one to connect to. */
async function describeBrowser(browser: HostedBrowser, address: string): Promise<JsonObject> {
  return versionAnswer(await ask(browser, 'Browser.getVersion'), address);
}

/** What Chromium answers to GET /json/list, for pages; they are reached through the browser's address. */
async function describeTargets(browser: HostedBrowser): Promise<JsonObject[]> {
  return listAnswer(await ask(browser, 'Target.getTargets'));
}

/** Every browser answers what is asked here within milliseconds. */
const ANSWER_TIMEOUT_MS = 10_000;

/** Asks a browser one thing as a client of its own; rejects with its error, when it ends, and after 10 s. */
async function ask(browser: HostedBrowser, method: string): Promise<JsonObject> {
  const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
  const client = await browser.attach({
    message: ({ id, result, error }) => {
      if (id !== 1) return;
      if (error === undefined) resolve(result ?? {});
      else reject(new Error(`${method}: ${JSON.stringify(error)}`));
    },
    closed: (reason) => reject(new Error(reason)),
  });
  try {
    client.send({ id: 1, method });
    return await within(ANSWER_TIMEOUT_MS, promise, `${method} was not answered.`);
  } finally {
    await client.close();
  }
}

const ADDRESS = /^\/devtools\/browser\/([A-Za-z0-9_-]{1,128})\/?$/;

/** The token in the path of a DevTools websocket address, whatever its query says; null for any other path. */
export function tokenOf(url: string | undefined): string | null {
  const [path = ''] = (url ?? '').split('?', 1);
  return ADDRESS.exec(path)?.[1] ?? null;
}

/** A tab opens within a second on a crowded machine; a browser that takes longer than this hangs. */
const TAB_TIMEOUT_MS = 15_000;
/** A browser whose process has gone is cleaned up within this time. */
const END_TIMEOUT_MS = 5_000;

/** The browser behind a token, started when it is not running; null for a dead token. */
export type OpenBrowser = (token: string) => Promise<HostedBrowser | null>;

/**
 * Opens a browser by its token, makes sure that a client finds a page in it (companion 8 D4), and works with it. One that ends
 * meanwhile counts as not opened yet: the same is done once more with the next. Null for a dead token.
 */
async function withBrowser<Result>(
  open: OpenBrowser,
  token: string,
  work: (browser: HostedBrowser) => Promise<Result>,
): Promise<Result | null> {
  const browser = await open(token);
  if (browser === null) return null;
  try {
    return await inPage(browser, work);
  } catch (error) {
    // It may have ended under our hands: then its token opens another, or nothing any more.
    const end = await within(END_TIMEOUT_MS, browser.ended, 'The browser did not end.').catch(() => null);
    if (end === null) throw error;
    const next = await open(token);
    return next === null ? null : inPage(next, work);
  }
}

async function inPage<Result>(
  browser: HostedBrowser,
  work: (browser: HostedBrowser) => Promise<Result>,
): Promise<Result> {
  await within(TAB_TIMEOUT_MS, browser.tab(), 'The browser opens no tab.');
  return work(browser);
}

/** What Chromium answers to GET /json/version, from what it answers to Browser.getVersion; `address` is the one to connect to. */
export function versionAnswer(version: JsonObject, address: string): JsonObject {
  const { revision } = version;
  return {
    Browser: version['product'] ?? '',
    'Protocol-Version': version['protocolVersion'] ?? '',
    'User-Agent': version['userAgent'] ?? '',
    'V8-Version': version['jsVersion'] ?? '',
    'WebKit-Version': `537.36 (${typeof revision === 'string' ? revision : ''})`,
    webSocketDebuggerUrl: address,
  };
}

/** What Chromium answers to GET /json/list, for pages, from what it answers to Target.getTargets; they are reached through the browser's address. */
export function listAnswer({ targetInfos }: JsonObject): JsonObject[] {
  const infos: JsonValue[] = Array.isArray(targetInfos) ? targetInfos : [];
  return infos
    .filter(isJsonObject)
    .flatMap(({ targetId = '', type = '', title = '', url = '' }) =>
      type === 'page' ? [{ description: '', id: targetId, title, type, url }] : [],
    );
}
