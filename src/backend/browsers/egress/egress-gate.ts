import type { LookupAddress, LookupOptions } from 'node:dns';
import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { type PrepareRequestFunctionOpts, type PrepareRequestFunctionResult, RequestError, Server } from 'proxy-chain';
import type { HostLog } from '../host-log.ts';
import type { AllowList } from './allow-list.ts';
import type { CustomProxy } from './custom-proxy.ts';
import { type Resolve, resolveBySystem, type Target, resolveTarget } from './resolve-target.ts';
import { resolveUpstream, upstreamUrl } from './upstream.ts';

/** What a gate lets through and whom it tells. */
export interface EgressOptions {
  readonly allowed: AllowList;
  readonly log: HostLog;
  /** @defaultValue the system's resolver */
  readonly resolve?: Resolve;
  /** Everything leaves through it. @defaultValue none */
  readonly upstream?: CustomProxy | null;
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

/** Starts a gate on a free loopback port; rejects when the system has none. */
export async function openEgressGate(options: EgressOptions): Promise<EgressGate> {
  const refusals = new Map<string, string>();
  // Sockets are not kept for reuse: a kept one was judged for another request, and its bytes would be counted oddly.
  const agents = { httpAgent: new Agent({ keepAlive: false }), httpsAgent: new TlsAgent({ keepAlive: false }) };
  const server = new Server({
    host: '127.0.0.1',
    port: 0,
    prepareRequestFunction: (request) => judge(request, { ...options, refusals, agents }),
  });
  server.on('requestFailed', ({ error }: { error: unknown }) => {
    options.log.warn({ err: error }, 'the egress proxy could not handle a request');
  });
  const meter = meterOf(server);
  await server.listen();
  let closing: Promise<void> | null = null;
  return {
    port: server.port,
    trafficBytes: meter,
    refusalOf: (hostname) => refusals.get(hostname) ?? null,
    close: () => {
      closing ??= server.close(true);
      return closing;
    },
  };
}

interface Judgement extends EgressOptions {
  readonly refusals: Map<string, string>;
  readonly agents: Pick<PrepareRequestFunctionResult, 'httpAgent' | 'httpsAgent'>;
}

async function judge(request: PrepareRequestFunctionOpts, context: Judgement): Promise<PrepareRequestFunctionResult> {
  const { hostname } = request;
  const { refusals } = context;
  const target = await targetOf(request, context);
  refusals.delete(hostname);
  if (target.kind !== 'open') {
    refusals.set(hostname, target.reason);
    for (const oldest of refusals.keys()) if (refusals.size > REFUSALS_KEPT) refusals.delete(oldest);
    context.log.info({ hostname, port: request.port, reason: target.reason }, 'egress refused');
    throw new RequestError(`Not let through: ${target.reason}.`, target.kind === 'refused' ? 403 : 502);
  }
  return { dnsLookup: pinned(target.addresses), ...context.agents, ...throughUpstream(context, target.addresses) };
}

function targetOf(request: PrepareRequestFunctionOpts, context: Judgement): Promise<Target> {
  const { allowed, resolve = resolveBySystem, upstream = null } = context;
  return upstream === null
    ? resolveTarget(request, allowed, resolve)
    : resolveUpstream(request, upstream, { allowed, resolve });
}

function throughUpstream(
  { upstream = null }: Judgement,
  addresses: readonly LookupAddress[],
): Pick<PrepareRequestFunctionResult, 'upstreamProxyUrl' | 'ignoreUpstreamProxyCertificate'> {
  if (upstream === null) return {};
  return {
    upstreamProxyUrl: upstreamUrl(upstream, addresses),
    ignoreUpstreamProxyCertificate: upstream.ignoreCertErrors,
  };
}

type LookupDone = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/**
 * A `dns.lookup` that knows only the addresses that were judged. Resolving again at connect time would let a name
 * change its address between the judgement and the connection (DNS rebinding).
 */
function pinned(addresses: readonly LookupAddress[]): NonNullable<PrepareRequestFunctionResult['dnsLookup']> {
  const answer = (_hostname: string, options: LookupOptions, done: LookupDone): void => {
    const [first] = addresses;
    if (options.all === true) done(null, [...addresses]);
    else if (first !== undefined) done(null, first.address, first.family);
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no function literal can have the overloads of dns.lookup
  return answer as NonNullable<PrepareRequestFunctionResult['dnsLookup']>;
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
