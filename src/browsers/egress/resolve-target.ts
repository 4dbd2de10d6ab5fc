import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import { type AllowList, checkAddress, deniedHost } from './addresses.ts';
import type { CustomProxy } from './proxy-file.ts';

/** The addresses to connect to, or why the request is rejected. */
export type Target =
  | {
      readonly kind: 'open';
      readonly addresses: readonly LookupAddress[];
      /** The checked address that a proxy is asked for in place of the page's host. */
      readonly asked?: string;
    }
  | Refusal;

/** A rejected request. */
export interface Refusal {
  readonly kind: 'refused' | 'unknown';
  /** Reason for the operator, with the resolved addresses. */
  readonly reason: string;
  /** Reason for pages and users: identical for private and for unknown hosts. */
  readonly told: string;
}

/** Resolves a host name to all its addresses; rejects when it has none. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

const lookupAll = promisify(lookup);

/** Rules for checking requests. */
export interface Rules {
  readonly allowed: AllowList;
  readonly resolve: Resolve;
}

/** Resolves through the operating system. */
export const resolveBySystem: Resolve = (hostname) => lookupAll(hostname, { all: true });

/**
 * Resolves a host once and checks every address. A single forbidden address rejects the host: a name with public and
 * private addresses is an attack.
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

/** Returns whether a host is an IP address or a loopback name. */
function isWrittenOut(hostname: string): boolean {
  return isIP(hostname) !== 0 || isLocalhost(hostname);
}

/** Returns whether a name is a loopback name by its standard. */
function isLocalhost(hostname: string): boolean {
  return /(?:^|\.)localhost\.?$/i.test(hostname);
}

/** Creates a rejection whose reason reveals nothing beyond the request itself. */
export function refuse(reason: string): Refusal {
  return { kind: 'refused', reason, told: reason };
}

/** Returns the addresses of a host, or null when it has none. */
export async function resolveHost(hostname: string, resolve: Resolve): Promise<readonly LookupAddress[] | null> {
  const family = isIP(hostname);
  if (family !== 0) return [{ address: hostname, family }];
  try {
    const addresses = await resolve(hostname);
    return addresses.length === 0 ? null : addresses;
  } catch (error) {
    // Resolver errors mean "no such host"; errors without a code are bugs.
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

/** Host and port of a request. */
export interface Host {
  readonly hostname: string;
  readonly port: number;
}

/**
 * Resolves a request through a custom proxy, whose own address is checked like any other. The proxy resolves the page's
 * host; IP addresses and loopback names are checked here.
 */
export async function resolveUpstream(request: Host, proxy: CustomProxy, rules: Rules): Promise<Target> {
  const refused = refusalOfPage(request, rules.allowed);
  if (refused !== null) return refuse(refused);
  const target = await resolveTarget({ hostname: proxy.host, port: proxy.port }, rules.allowed, rules.resolve);
  if (target.kind === 'open') return target;
  return { ...target, reason: `of the custom proxy: ${target.reason}`, told: `of the custom proxy: ${target.told}` };
}

/** Returns why a page's host is rejected although the proxy resolves it, or null. */
export function refusalOfPage({ hostname: written, port }: Host, allowed: AllowList): string | null {
  const hostname = written.replace(/^\[(.*)\]$/, '$1');
  const denied = deniedHost(hostname);
  if (denied !== null) return `${hostname} is ${denied}`;
  if (isLocalhost(hostname)) return `${hostname} is loopback`;
  if (isIP(hostname) === 0 || allowed(hostname, port)) return null;
  const forbidden = checkAddress(hostname);
  return forbidden === null ? null : `${hostname} is ${forbidden}`;
}

/** Returns the proxy's URL with credentials for the HTTP library; it must not be logged. */
export function upstreamUrl(proxy: CustomProxy, addresses: readonly LookupAddress[]): string {
  const [user, password] = [proxy.username, proxy.password].map((text) => encodeURIComponent(text ?? ''));
  const credentials = proxy.username === null && proxy.password === null ? '' : `${user}:${password}@`;
  // SOCKS connections bypass our resolver, so they get the checked address; `h` lets the proxy resolve names.
  const isSocks = proxy.scheme === 'socks5';
  const host = isSocks ? (addresses.find(({ family }) => family === 4) ?? addresses[0])?.address : proxy.host;
  return `${isSocks ? 'socks5h' : proxy.scheme}://${credentials}${bracketed(host ?? proxy.host)}:${proxy.port}`;
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

type Done = Parameters<LookupFunction>[2];

/**
 * Returns a `dns.lookup` that knows only the checked addresses. A second lookup at connect time would allow DNS
 * rebinding.
 */
export function pinned(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname: string, options: LookupOptions, done: Done): void => {
    const [first] = addresses;
    if (options.all === true) done(null, [...addresses]);
    else if (first !== undefined) done(null, first.address, first.family);
  };
}
