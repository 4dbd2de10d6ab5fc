import { Agent, type IncomingMessage } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PrepareRequestFunctionOpts, type PrepareRequestFunctionResult, RequestError, Server } from 'proxy-chain';
import type { HostLog } from '../host-log.ts';
import { isManaged, type ManagedProxy } from './managed-proxy.ts';
import type { AllowList } from './addresses.ts';
import type { CustomProxy } from './proxy-file.ts';
import {
  type Host,
  pinned,
  refusalOfPage,
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
import { tunnelAgent } from './tunnel-agent.ts';
import { readFile } from 'node:fs/promises';
import { endianness } from 'node:os';

/** What a gate lets through and whom it tells. */
export interface EgressOptions {
  readonly allowed: AllowList;
  readonly log: HostLog;
  /** @defaultValue the system's resolver */
  readonly resolve?: Resolve;
  /** The user whose processes are served, null for our own. @defaultValue our own */
  readonly owner?: number | null;
  /** Everything leaves through it. @defaultValue none */
  readonly upstream?: CustomProxy | ManagedProxy | null;
}

/** The forward proxy of one browser; a proxy each is what lets bytes be counted per browser. */
export interface EgressGate {
  /** The port on 127.0.0.1. */
  readonly port: number;
  /** Bytes exchanged with the servers behind the proxy so far, both directions, open connections included. */
  trafficBytes(): number;
  /** Why the latest request to a host was not let through, or null when it was or there has been none. */
  refusalOf(hostname: string): string | null;
  /** Ends the proxy and its connections; idempotent. */
  close(): Promise<void>;
}

/** A page can name any number of hosts; only the latest refusals are worth keeping. */
const REFUSALS_KEPT = 100;

const REFUSED = 403;
/** Longer than a resolver on the network takes to answer, and short for a page that waits for a picture. */
const REFUSED_AFTER_MS = 100;

/** Starts a gate on a free loopback port; rejects when the system has none. */
export async function openEgressGate(options: EgressOptions): Promise<EgressGate> {
  const refusals = new Map<string, string>();
  // Sockets are not kept for reuse: a kept one was judged for another request, and its bytes would be counted oddly.
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
  const meter = meterOf(server);
  await server.listen();
  let closing: Promise<void> | null = null;
  return {
    port: server.port,
    trafficBytes: meter,
    refusalOf: (hostname) => refusals.get(hostname) ?? null,
    close: () => {
      ending.abort();
      closing ??= server.close(true);
      return closing;
    },
  };
}

/** Says once what a proxy of the operator answers: each page that asks anew would say it again. */
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
  /** Whether a connection comes from the gate's own browser. */
  readonly peers: WeakMap<Socket, Promise<boolean>>;
  readonly agents: Pick<PrepareRequestFunctionResult, 'httpAgent' | 'httpsAgent'>;
  /** Aborted when the gate closes. */
  readonly signal: AbortSignal;
  readonly onRefused: (status: number) => void;
}

type Way = PrepareRequestFunctionResult;

async function judge(request: PrepareRequestFunctionOpts, context: Judgement): Promise<Way> {
  const { hostname } = request;
  const { refusals, agents, upstream = null } = context;
  if (!(await isOwnPeer(request, context)))
    throw new RequestError('This proxy serves the browser that it was opened for.', REFUSED);
  const startedMs = performance.now();
  const target = await targetOf(request, context);
  refusals.delete(hostname);
  if (target.kind !== 'open') {
    refusals.set(hostname, target.told);
    for (const oldest of refusals.keys()) if (refusals.size > REFUSALS_KEPT) refusals.delete(oldest);
    context.log.info({ hostname, port: request.port, reason: target.reason }, 'egress refused');
    // A page must not see in the status, text or time whether a name of a private network exists.
    await sleep(Math.max(0, startedMs + REFUSED_AFTER_MS - performance.now()), undefined, { ref: false });
    throw new RequestError(`Not let through: ${target.told}.`, REFUSED);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no function literal can have the overloads of dns.lookup
  const direct = { dnsLookup: pinned(target.addresses) as NonNullable<Way['dnsLookup']>, ...agents };
  return upstream === null ? direct : { ...direct, ...throughUpstream(request, { ...context, upstream, target }) };
}

/** Tells whether a request comes from a process of the user that the browser runs as; asked once for each connection. */
function isOwnPeer(
  { request: { socket } }: PrepareRequestFunctionOpts,
  { peers, owner, log }: Judgement,
): Promise<boolean> {
  const known = peers.get(socket);
  if (known !== undefined) return known;
  const found = peerUser(socket).then((user) => {
    const isOwn = user === UNKNOWN_HERE || user === (owner ?? process.getuid?.());
    if (!isOwn) log.warn({ user, port: socket.remotePort }, 'the egress proxy of a browser refused another process');
    return isOwn;
  });
  peers.set(socket, found);
  return found;
}

function targetOf(request: PrepareRequestFunctionOpts, context: Judgement): Promise<Target> {
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
  // The library reads here again where the request goes; the host that the server is told stays as it was.
  if (place !== null) request.request.url = request.isHttp ? at(place, request.request.url ?? '') : place;
  return {
    upstreamProxyUrl: upstreamUrl(upstream, addresses),
    ignoreUpstreamProxyCertificate: upstream.ignoreCertErrors,
  };
}

/** The same address at another place. */
function at(place: string, address: string): string {
  const url = new URL(address);
  url.host = place;
  return url.href;
}

function meterOf(server: Server): () => number {
  let closedBytes = 0;
  type Stats = ReturnType<Server['getConnectionStats']>;
  const bytes = (stats: Stats): number => (stats?.trgTxBytes ?? 0) + (stats?.trgRxBytes ?? 0);
  server.on('connectionClosed', ({ stats }: { stats: Stats }) => {
    closedBytes += bytes(stats);
  });
  return () => server.getConnectionIds().reduce((sum, id) => sum + bytes(server.getConnectionStats(id)), closedBytes);
}

/**
 * Where a request goes that leaves through a proxy of the operator: to the proxy, whose own address is the operator's word. The page's
 * name is resolved here and judged like one that leaves directly; the proxy is then asked for the address that was judged, or, where it
 * looks names up itself, for the name, also for one that only it knows.
 */
async function resolveManaged(request: Host, proxy: ManagedProxy, rules: Rules): Promise<Target> {
  const page = await resolveTarget(request, rules.allowed, rules.resolve);
  const isTheirs = page.kind === 'unknown' && proxy.names === 'there';
  if (page.kind !== 'open' && !isTheirs) return page;
  const refused = isTheirs ? refusalOfPage(request, rules.allowed) : null;
  if (refused !== null) return refuse(refused);
  const addresses = await resolveHost(proxy.host, rules.resolve);
  if (addresses === null) return refuse(`the proxy of ${proxy.country} is unknown`);
  if (page.kind !== 'open' || proxy.names === 'there') return { kind: 'open', addresses };
  const judged = page.addresses.find(({ family }) => family === 4) ?? page.addresses[0];
  return { kind: 'open', addresses, ...(judged === undefined ? {} : { asked: judged.address }) };
}

/** What {@link peerUser} answers on systems that do not tell. */
const UNKNOWN_HERE = 'unknown';

/** The kernel's table of TCP sockets of IPv4, one line each. */
const TABLE = '/proc/net/tcp';

/**
 * Answers the number of the user that opened the other end of a connection over loopback (IPv4), null when the kernel knows no such
 * socket: it is closed already, or is one of IPv6, which no Chromium opens for 127.0.0.1. Systems without the table (not Linux) tell nothing.
 */
async function peerUser(socket: Socket): Promise<number | typeof UNKNOWN_HERE | null> {
  const { remoteAddress = '', remotePort = 0, localAddress = '', localPort = 0 } = socket;
  if (process.platform !== 'linux') return UNKNOWN_HERE;
  const ends = `${inTable(remoteAddress, remotePort)} ${inTable(localAddress, localPort)} `;
  const table = await readFile(TABLE, 'latin1');
  const start = table.indexOf(ends);
  if (start === -1) return null;
  // After both ends: state, queues, timer, retransmissions, user.
  const [, , , , user] = table
    .slice(start + ends.length, table.indexOf('\n', start))
    .trim()
    .split(/ +/, 5);
  return user === undefined ? null : Number(user);
}

/** An address and port as the table writes them: hexadecimal, the address in the byte order of the machine. */
function inTable(address: string, port: number): string {
  const bytes = address.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0'));
  const word = (endianness() === 'LE' ? bytes.toReversed() : bytes).join('');
  return `${word}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}
