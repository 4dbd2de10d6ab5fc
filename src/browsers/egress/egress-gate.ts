import { Agent, type IncomingMessage } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PrepareRequestFunctionOpts, type PrepareRequestFunctionResult, RequestError, Server } from 'proxy-chain';
import type { HostLog } from '../host-log.ts';
import { isManaged, type ManagedProxy } from './managed-proxy.ts';
import {
  type AllowList,
  type Host,
  pinned,
  pageRefusal,
  refuse,
  type Resolve,
  resolveBySystem,
  resolveHost,
  resolveTarget,
  resolveUpstream,
  type Rules,
  type Target,
  upstreamUrl,
} from './resolve-target.ts';
import type { CustomProxy } from './proxy-file.ts';
import { tunnelAgent } from './tunnel-agent.ts';
import { readFile } from 'node:fs/promises';
import { endianness } from 'node:os';

/** Options of the egress proxy of one browser. */
export interface EgressOptions {
  readonly allowed: AllowList;
  readonly log: HostLog;
  /** @defaultValue the system's resolver */
  readonly resolve?: Resolve;
  /**
   * Id of the operating system user whose processes may use the proxy; null for the service's user. @defaultValue null
   */
  readonly owner?: number | null;
  /** Upstream proxy of all traffic. @defaultValue none */
  readonly upstream?: CustomProxy | ManagedProxy | null;
}

/** The forward proxy of one browser, which counts the transferred bytes. */
export interface EgressGate {
  /** Port on 127.0.0.1 at which the proxy listens. */
  readonly port: number;
  /** Returns the bytes exchanged with servers so far, in both directions, including open connections. */
  trafficBytes(): number;
  /**
   * Returns why the latest request to a host was rejected. Null if it was not rejected, or if the rejection is no
   * longer remembered.
   */
  getRefusal(hostname: string): string | null;
  /** Closes the proxy and its connections; idempotent. */
  close(): Promise<void>;
}

/** Maximum number of hosts whose rejection is remembered, because a page can request any number of hosts. */
const refusalsKept = 100;

const refusedStatus = 403;
/**
 * Minimum time in ms before the proxy answers a rejected request. It is longer than a DNS lookup, so that the response
 * time does not reveal whether a host exists.
 */
const refusedAfterMs = 100;

/** Starts an egress proxy on a free loopback port; rejects when no port is free. */
export async function openEgressGate(options: EgressOptions): Promise<EgressGate> {
  const refusals = new Map<string, string>();
  // Sockets are not reused: a kept socket was checked for another request, and its bytes would be miscounted.
  const agents = { httpAgent: new Agent({ keepAlive: false }), httpsAgent: new TlsAgent({ keepAlive: false }) };
  const ending = new AbortController();
  const onRefused = warnOnce(options);
  const context = { ...options, refusals, agents, peers: new WeakMap(), signal: ending.signal, onRefused };
  const server = new Server({
    host: '127.0.0.1',
    port: 0,
    prepareRequestFunction: (request) => judge(request, context),
  });
  server.on('requestFailed', ({ error }: { error: unknown }) => {
    options.log.warn({ err: error }, 'the egress proxy could not handle a request');
  });
  server.on('tunnelConnectFailed', ({ response }: { response: IncomingMessage }) =>
    onRefused(response.statusCode ?? 0),
  );
  const meter = getMeter(server);
  await server.listen();
  let closing: Promise<void> | null = null;
  return {
    port: server.port,
    trafficBytes: meter,
    getRefusal: (hostname) => refusals.get(hostname) ?? null,
    close: () => {
      ending.abort();
      closing ??= server.close(true);
      return closing;
    },
  };
}

/**
 * Returns a function that logs when a managed proxy refuses to open a tunnel. Logs only the first status, and nothing
 * for other kinds of proxies.
 */
function warnOnce({ upstream = null, log }: EgressOptions): (status: number) => void {
  let isTold = false;
  return (status) => {
    if (upstream === null || !isManaged(upstream) || isTold) return;
    isTold = true;
    log.warn({ country: upstream.country, status }, 'the proxy of a country opens no tunnel');
  };
}

interface Judgement extends EgressOptions {
  readonly refusals: Map<string, string>;
  /** Whether a client connection comes from a process of the browser's user; a cache of `isOwnPeer`. */
  readonly peers: WeakMap<Socket, Promise<boolean>>;
  readonly agents: Pick<PrepareRequestFunctionResult, 'httpAgent' | 'httpsAgent'>;
  /** Aborted when the proxy closes. */
  readonly signal: AbortSignal;
  readonly onRefused: (status: number) => void;
}

type Way = PrepareRequestFunctionResult;

async function judge(request: PrepareRequestFunctionOpts, context: Judgement): Promise<Way> {
  const { hostname } = request;
  const { refusals, agents, upstream = null } = context;
  if (!(await isOwnPeer(request, context)))
    throw new RequestError('This proxy serves the browser that it was opened for.', refusedStatus);
  const startedMs = performance.now();
  const target = await getTarget(request, context);
  refusals.delete(hostname);
  if (target.kind !== 'open') {
    refusals.set(hostname, target.told);
    for (const oldest of refusals.keys()) if (refusals.size > refusalsKept) refusals.delete(oldest);
    context.log.info({ hostname, port: request.port, reason: target.reason }, 'egress refused');
    // Status, text and timing must not reveal whether a private host exists.
    await sleep(Math.max(0, startedMs + refusedAfterMs - performance.now()), undefined, { ref: false });
    throw new RequestError(`Not let through: ${target.told}.`, refusedStatus);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no function literal can have the overloads of dns.lookup
  const direct = { dnsLookup: pinned(target.addresses) as NonNullable<Way['dnsLookup']>, ...agents };
  return upstream === null ? direct : { ...direct, ...throughUpstream(request, { ...context, upstream, target }) };
}

/**
 * Returns whether a proxy request comes from a process of the browser's user; always true on systems other than Linux.
 * Checks each connection once.
 */
function isOwnPeer(
  { request: { socket } }: PrepareRequestFunctionOpts,
  { peers, owner, log }: Judgement,
): Promise<boolean> {
  const known = peers.get(socket);
  if (known !== undefined) return known;
  const found = peerUser(socket).then((user) => {
    const isOwn = user === unknownHere || user === (owner ?? process.getuid?.());
    if (!isOwn) log.warn({ user, port: socket.remotePort }, 'the egress proxy of a browser refused another process');
    return isOwn;
  });
  peers.set(socket, found);
  return found;
}

function getTarget(request: PrepareRequestFunctionOpts, context: Judgement): Promise<Target> {
  const { allowed, resolve = resolveBySystem, upstream = null } = context;
  if (upstream === null) return resolveTarget(request, allowed, resolve);
  return isManaged(upstream)
    ? resolveManaged(request, upstream, { allowed, resolve })
    : resolveUpstream(request, upstream, { allowed, resolve });
}

interface Through extends Judgement {
  readonly upstream: CustomProxy;
  readonly target: Extract<Target, { kind: 'open' }>;
}

function throughUpstream(request: PrepareRequestFunctionOpts, { upstream, target, ...context }: Through): Way {
  const { addresses, asked } = target;
  const place = asked === undefined ? null : `${isIP(asked) === 6 ? `[${asked}]` : asked}:${request.port}`;
  if (place !== null && request.isHttp && upstream.scheme !== 'socks5')
    return { httpAgent: tunnelAgent({ ...context, proxy: upstream, addresses, target: place }) };
  // The proxy library connects to the host of the request's URL, so the checked address replaces this host. The Host
  // header stays unchanged.
  if (place !== null) request.request.url = request.isHttp ? at(place, request.request.url ?? '') : place;
  return {
    upstreamProxyUrl: upstreamUrl(upstream, addresses),
    ignoreUpstreamProxyCertificate: upstream.ignoreCertErrors,
  };
}

/** Returns the URL `address` with the host and port of `place`. */
function at(place: string, address: string): string {
  const url = new URL(address);
  url.host = place;
  return url.href;
}

function getMeter(server: Server): () => number {
  let closedBytes = 0;
  type Stats = ReturnType<Server['getConnectionStats']>;
  const bytes = (stats: Stats): number => (stats?.trgTxBytes ?? 0) + (stats?.trgRxBytes ?? 0);
  server.on('connectionClosed', ({ stats }: { stats: Stats }) => {
    closedBytes += bytes(stats);
  });
  return () => server.getConnectionIds().reduce((sum, id) => sum + bytes(server.getConnectionStats(id)), closedBytes);
}

/**
 * Finds the address to connect to for a request through a managed proxy. The address of the proxy itself is trusted. By
 * default, resolves and checks the page's host on this machine, and the proxy connects to the checked address. With
 * `names: 'there'` the proxy receives the host name, even a name that only the proxy can resolve. A host that this
 * machine can resolve is checked in this case too.
 */
async function resolveManaged(request: Host, proxy: ManagedProxy, rules: Rules): Promise<Target> {
  const page = await resolveTarget(request, rules.allowed, rules.resolve);
  const isTheirs = page.kind === 'unknown' && proxy.names === 'there';
  if (page.kind !== 'open' && !isTheirs) return page;
  const refused = isTheirs ? pageRefusal(request, rules.allowed) : null;
  if (refused !== null) return refuse(refused);
  const addresses = await resolveHost(proxy.host, rules.resolve);
  if (addresses === null) return refuse(`the proxy of ${proxy.country} is unknown`);
  if (page.kind !== 'open' || proxy.names === 'there') return { kind: 'open', addresses };
  const judged = page.addresses.find(({ family }) => family === 4) ?? page.addresses[0];
  return { kind: 'open', addresses, ...(judged === undefined ? {} : { asked: judged.address }) };
}

/** Result of {@link peerUser} on systems other than Linux, which have no socket table in `/proc`. */
const unknownHere = 'unknown';

/** The kernel's table of IPv4 TCP sockets. */
const tableFile = '/proc/net/tcp';

/**
 * Returns the id of the user that owns the other end of a loopback connection (IPv4). Returns null for a socket that is
 * not in the kernel's table, such as a closed socket. On systems other than Linux returns {@link unknownHere}.
 */
async function peerUser(socket: Socket): Promise<number | typeof unknownHere | null> {
  const { remoteAddress = '', remotePort = 0, localAddress = '', localPort = 0 } = socket;
  if (process.platform !== 'linux') return unknownHere;
  const ends = `${inTable(remoteAddress, remotePort)} ${inTable(localAddress, localPort)} `;
  const table = await readFile(tableFile, 'latin1');
  const start = table.indexOf(ends);
  if (start === -1) return null;
  // The fields after both ends are state, queues, timer, retransmissions and user.
  const [, , , , user] = table
    .slice(start + ends.length, table.indexOf('\n', start))
    .trim()
    .split(/ +/, 5);
  return user === undefined ? null : Number(user);
}

/**
 * Formats an IPv4 address and port as in `/proc/net/tcp`: both hexadecimal, the address in the machine's byte order.
 */
function inTable(address: string, port: number): string {
  const bytes = address.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0'));
  const word = (endianness() === 'LE' ? bytes.toReversed() : bytes).join('');
  return `${word}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}
