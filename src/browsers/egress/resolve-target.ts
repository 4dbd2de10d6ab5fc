import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import { type AllowList, checkAddress, deniedHost } from './addresses.ts';
import type { CustomProxy } from './proxy-file.ts';

/** Where a request may go: the addresses to connect to, or why it may not. */
export type Target =
  | {
      readonly kind: 'open';
      readonly addresses: readonly LookupAddress[];
      /** The judged address that a proxy is asked for in the place of the page's name. */
      readonly asked?: string;
    }
  | Refusal;

/** Why a request may go nowhere. */
export interface Refusal {
  readonly kind: 'refused' | 'unknown';
  /** For the operator: names the addresses that a name resolved to. */
  readonly reason: string;
  /** For pages and their users: the same whether a name resolves to a private address or to none. */
  readonly told: string;
}

/** Resolves a name to all its addresses; rejects when there are none. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

const lookupAll = promisify(lookup);

/** What a request is judged by. */
export interface Rules {
  readonly allowed: AllowList;
  readonly resolve: Resolve;
}

/** The system's resolver. */
export const resolveBySystem: Resolve = (hostname) => lookupAll(hostname, { all: true });

/**
 * Resolves a host once and judges every address that it has. One forbidden address refuses the host: a name that
 * points to the internet and to a private network at once is an attack, not a service.
 */
export async function resolveTarget(
  host: { readonly hostname: string; readonly port: number },
  allowed: AllowList,
  resolve: Resolve,
): Promise<Target> {
  const hostname = host.hostname.replace(/^\[(.*)\]$/, '$1');
  const denied = deniedHost(hostname);
  if (denied !== null) return refuse(`${hostname} is ${denied}`);
  const addresses = await resolveHost(hostname, resolve);
  const told = `${hostname} is unknown or not part of the public internet`;
  if (addresses === null) return { kind: 'unknown', reason: `the host ${hostname} is unknown`, told };
  for (const { address } of addresses) {
    const forbidden = checkAddress(address);
    if (forbidden === null || allowed(address, host.port)) continue;
    const reason = `${hostname} leads to ${address}, which is ${forbidden}`;
    return isWrittenOut(hostname) ? refuse(reason) : { kind: 'refused', reason, told };
  }
  return { kind: 'open', addresses };
}

/** Tells whether a host says itself where it leads: an address, or a name that means loopback everywhere. */
function isWrittenOut(hostname: string): boolean {
  return isIP(hostname) !== 0 || isLocalhost(hostname);
}

/** Tells whether a name means loopback by its standard. */
function isLocalhost(hostname: string): boolean {
  return /(?:^|\.)localhost\.?$/i.test(hostname);
}

/** A refusal for what the request itself says, which reveals nothing to its page. */
export function refuse(reason: string): Refusal {
  return { kind: 'refused', reason, told: reason };
}

/** The addresses of a name or an address, or null when it has none. */
export async function resolveHost(hostname: string, resolve: Resolve): Promise<readonly LookupAddress[] | null> {
  const family = isIP(hostname);
  if (family !== 0) return [{ address: hostname, family }];
  try {
    const addresses = await resolve(hostname);
    return addresses.length === 0 ? null : addresses;
  } catch (error) {
    // A resolver's failure is an answer, "no such host"; anything without a resolver's code is a bug.
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

/** A host as it stands in a request. */
export interface Host {
  readonly hostname: string;
  readonly port: number;
}

/**
 * Where a request goes that leaves through a custom proxy: to the proxy, whose own address is judged like any other. The page's
 * name is left to the proxy to resolve; an address that is written out, and a name that means loopback, is judged here.
 */
export async function resolveUpstream(request: Host, proxy: CustomProxy, rules: Rules): Promise<Target> {
  const refused = refusalOfPage(request, rules.allowed);
  if (refused !== null) return refuse(refused);
  const target = await resolveTarget({ hostname: proxy.host, port: proxy.port }, rules.allowed, rules.resolve);
  if (target.kind === 'open') return target;
  return { ...target, reason: `of the custom proxy: ${target.reason}`, told: `of the custom proxy: ${target.told}` };
}

/** Why a page is refused whose name is for others to resolve, or null. */
export function refusalOfPage({ hostname: written, port }: Host, allowed: AllowList): string | null {
  const hostname = written.replace(/^\[(.*)\]$/, '$1');
  const denied = deniedHost(hostname);
  if (denied !== null) return `${hostname} is ${denied}`;
  if (isLocalhost(hostname)) return `${hostname} is loopback`;
  if (isIP(hostname) === 0 || allowed(hostname, port)) return null;
  const forbidden = checkAddress(hostname);
  return forbidden === null ? null : `${hostname} is ${forbidden}`;
}

/** The proxy as an address with its credentials, for the library that speaks to it; never for a log. */
export function upstreamUrl(proxy: CustomProxy, addresses: readonly LookupAddress[]): string {
  const [user, password] = [proxy.username, proxy.password].map((text) => encodeURIComponent(text ?? ''));
  const credentials = proxy.username === null && proxy.password === null ? '' : `${user}:${password}@`;
  // SOCKS connections are made without our resolver, so they get the address that was judged; `h` leaves names to the proxy.
  const isSocks = proxy.scheme === 'socks5';
  const host = isSocks ? (addresses.find(({ family }) => family === 4) ?? addresses[0])?.address : proxy.host;
  return `${isSocks ? 'socks5h' : proxy.scheme}://${credentials}${bracketed(host ?? proxy.host)}:${proxy.port}`;
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

type Done = Parameters<LookupFunction>[2];

/**
 * A `dns.lookup` that knows only the addresses that were judged. Resolving again at connect time would let a name
 * change its address between the judgement and the connection (DNS rebinding).
 */
export function pinned(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname: string, options: LookupOptions, done: Done): void => {
    const [first] = addresses;
    if (options.all === true) done(null, [...addresses]);
    else if (first !== undefined) done(null, first.address, first.family);
  };
}
