import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { type Problem, problem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import type { Tracer } from '#lib/tracer.ts';
import type { HostedBrowser } from '../host.ts';
import type { HostLog } from '../host-log.ts';
import { within } from '../within.ts';
import { type Audit, noAudit } from './audit.ts';
import { connectClient, leaveSeat } from './connect-client.ts';
import { traceConnection } from './trace-connection.ts';
import type { GatewayLimits } from './gateway-limits.ts';
import { createCdpPolicy } from './policy.ts';
import { boundPeers, createPeer, type Peer, type Seat, takeSeat } from './sockets.ts';
import { createWebSocketEndpoint, type Upgrade } from './websocket-endpoint.ts';

/** Dependencies of a gateway. */
export interface GatewayOptions {
  /** Returns the browser of a token and starts it if needed. Returns null for an unknown token or a stopped browser. */
  readonly open: OpenBrowser;
  /** Returns the browser id for a token of a DevTools URL; used in logs and traces. */
  readonly findBrowserId: (token: string) => Promise<string>;
  /** @defaultValue no audit log */
  readonly audit?: Audit;
  /** Returns the public DevTools URL of a token. */
  readonly address: (token: string) => string;
  readonly rules: RuleBook;
  readonly limits: GatewayLimits;
  readonly log: HostLog;
  /** Records traces of connections. @defaultValue none */
  readonly tracer?: Pick<Tracer, 'request'>;
}

/** Kinds of discovery requests (GET) below a DevTools URL. */
export type Discovery = 'version' | 'list';

/** Accepts external DevTools clients: websocket connections and discovery requests. */
export interface CdpGateway {
  /** Returns whether the path of an upgrade request is a DevTools URL. */
  takes(request: IncomingMessage): boolean;
  /** Connects the client to its browser, or answers the request with an HTTP error. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Returns the body of a discovery response; null when the token belongs to no browser. */
  discover(token: string, wanted: Discovery): Promise<unknown>;
  /** Closes every connection; idempotent. */
  close(): Promise<void>;
}

/** A client whose handshake was accepted. */
interface Arrival {
  readonly seat: Seat;
  /** Browser id. */
  readonly id: string;
  readonly request: IncomingMessage;
}

/** Creates the gateway for DevTools clients. */
export function createCdpGateway(options: GatewayOptions): CdpGateway {
  const { rules, limits, log, audit: notes = noAudit } = options;
  const policy = createCdpPolicy(rules.cdpPolicy);
  const clients = new Map<HostedBrowser, Set<Peer>>();
  const welcome = (socket: WebSocket, { seat, id, request }: Arrival): void => {
    const stream = request.socket;
    traceConnection(options.tracer, { request, socket, name: 'DevTools client', facts: { 'svc.browser.id': id } });
    const audit = notes.joined({ browser: id, from: stream.remoteAddress ?? '' });
    socket.once('close', (code) => audit.left(code));
    const peers = keep(clients, seat.browser, createPeer(socket, stream));
    const parts = { socket, seat, peers, policy, table: rules.cdpPolicy, limits, audit, log };
    stream.on('data', () => boundPeers(parts));
    connectClient(parts);
  };
  const obstacle = (browser: HostedBrowser): Problem | null => {
    const active = clients.get(browser)?.size ?? 0;
    if (endpoint.isClosed()) return problem('browser_not_started', {});
    return active >= limits.clientsMax ? tooMany(active, limits.clientsMax) : null;
  };
  const admit = async (upgrade: Upgrade): Promise<void> => {
    const { request } = upgrade;
    const token = getToken(request.url) ?? '';
    if (endpoint.isClosed()) return endpoint.refuse(upgrade, problem('browser_not_started', {}));
    const id = await options.findBrowserId(token);
    // The DevTools session is opened before the handshake, so every accepted client has a browser.
    const seat = await withBrowser(options.open, token, takeSeat);
    if (seat === null) return endpoint.refuse(upgrade, problem('route_not_found', {}));
    const found = obstacle(seat.browser);
    if (found !== null) endpoint.refuse(upgrade, found);
    const isAccepted = found === null && endpoint.accept(upgrade, (socket) => welcome(socket, { seat, id, request }));
    if (!isAccepted) leaveSeat(seat, log);
  };
  const endpoint = createWebSocketEndpoint({ rules, limits, log, client: 'DevTools client', admit });
  return {
    takes: (request) => getToken(request.url) !== null,
    upgrade: (request, socket, head) => endpoint.upgrade(request, socket, head),
    async discover(token, wanted) {
      return withBrowser<unknown>(options.open, token, (browser) =>
        wanted === 'version' ? describeBrowser(browser, options.address(token)) : describeTargets(browser),
      );
    },
    close: () => endpoint.close(),
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

/** Returns the response to GET /json/version: Chromium's answer with the public URL. */
async function describeBrowser(browser: HostedBrowser, address: string): Promise<JsonObject> {
  return versionAnswer(await ask(browser, 'Browser.getVersion'), address);
}

/**
 * Returns the response to GET /json/list: all pages of the browser, without URLs of their own. Clients reach a page
 * through the browser's URL.
 */
async function describeTargets(browser: HostedBrowser): Promise<JsonObject[]> {
  return listAnswer(await ask(browser, 'Target.getTargets'));
}

/** Timeout of a DevTools command that browsers normally answer within milliseconds. */
const answerTimeoutMs = 10_000;

/**
 * Sends one DevTools command through a temporary client and returns its result. Rejects with the error of the reply,
 * when the browser ends, or after 10 s.
 */
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
    return await within(answerTimeoutMs, promise, `${method} was not answered.`);
  } finally {
    await client.close();
  }
}

const addressPattern = /^\/devtools\/browser\/([A-Za-z0-9_-]{1,128})\/?$/;

/** Returns the token in the path of a DevTools websocket URL; null for other paths. */
export function getToken(url: string | undefined): string | null {
  const [path = ''] = (url ?? '').split('?', 1);
  return addressPattern.exec(path)?.[1] ?? null;
}

/** Timeout for opening a tab, which takes up to a second on a loaded machine. */
const tabTimeoutMs = 15_000;
/** Timeout for the clean-up of an ended browser. */
const endTimeoutMs = 5_000;

/** Returns the browser of a token and starts it if needed. Returns null for an unknown token or a stopped browser. */
export type OpenBrowser = (token: string) => Promise<HostedBrowser | null>;

/**
 * Opens the browser of a token, ensures that it has a page (companion 8 D4), and runs `work` with the browser. If this
 * fails because the browser has ended, repeats it once with the browser that the token then opens. Returns null when
 * the token opens no browser.
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
    // The browser may have just ended; then the token opens another browser or none.
    const end = await within(endTimeoutMs, browser.ended, 'The browser did not end.').catch(() => null);
    if (end === null) throw error;
    const next = await open(token);
    return next === null ? null : inPage(next, work);
  }
}

async function inPage<Result>(
  browser: HostedBrowser,
  work: (browser: HostedBrowser) => Promise<Result>,
): Promise<Result> {
  await within(tabTimeoutMs, browser.tab(), 'The browser opens no tab.');
  return work(browser);
}

/** Builds the response to GET /json/version from the result of Browser.getVersion; `address` is the connection URL. */
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

/** Builds the response to GET /json/list for pages from the result of Target.getTargets. */
export function listAnswer({ targetInfos }: JsonObject): JsonObject[] {
  const infos: JsonValue[] = Array.isArray(targetInfos) ? targetInfos : [];
  return infos
    .filter(isJsonObject)
    .flatMap(({ targetId = '', type = '', title = '', url = '' }) =>
      type === 'page' ? [{ description: '', id: targetId, title, type, url }] : [],
    );
}
