import { Agent, type IncomingMessage } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PrepareRequestFunctionOpts, type PrepareRequestFunctionResult, RequestError, Server } from 'proxy-chain';
import type { HostLog } from '../host-log.ts';
import { isManaged, type ManagedProxy } from '../exits/managed-proxy.ts';
import type { AllowList } from './allow-list.ts';
import type { CustomProxy } from './custom-proxy.ts';
import { peerUser, UNKNOWN_HERE } from './peer-user.ts';
import { pinned } from './pinned.ts';
import { resolveManaged } from './resolve-managed.ts';
import { type Resolve, resolveBySystem, type Target, resolveTarget } from './resolve-target.ts';
import { tunnelAgent } from './tunnel-agent.ts';
import { resolveUpstream, upstreamUrl } from './upstream.ts';

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
