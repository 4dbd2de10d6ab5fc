import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction, BlockList, SocketAddress } from 'node:net';
import { promisify } from 'node:util';
import { parseAddressRange } from '#lib/http.ts';
import { type CustomProxy, isPort } from './proxy-file.ts';

/** The addresses that the egress proxy connects to, or why it rejects the request. */
export type Target =
  | {
      readonly kind: 'open';
      readonly addresses: readonly LookupAddress[];
      /** Checked address of the page's host, which an upstream proxy receives in place of the host name. */
      readonly asked?: string;
    }
  | Refusal;

/** A rejected request. */
export interface Refusal {
  readonly kind: 'refused' | 'unknown';
  /** Why the request is rejected, for the log of the operator; may contain the resolved addresses. */
  readonly reason: string;
  /** Why the request is rejected, for pages and users. A private host and an unknown host have the same text. */
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
 * Resolves a host name once and checks every address of the host. A single forbidden address that `allowed` does not
 * permit rejects the host, because a name with public and private addresses indicates an attack. Metadata services and
 * hosts that Chromium itself contacts are rejected before the lookup.
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

/** Returns whether a name is `localhost` or ends with `.localhost` (RFC 6761). */
function isLocalhost(hostname: string): boolean {
  return /(?:^|\.)localhost\.?$/i.test(hostname);
}

/**
 * Creates a rejection with the same reason for operators and pages. The reason must reveal nothing that the requester
 * does not know.
 */
export function refuse(reason: string): Refusal {
  return { kind: 'refused', reason, told: reason };
}

/**
 * Returns the addresses of a host, which for an IP address is the address itself. Null when the lookup finds none or
 * fails with an error code.
 */
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
 * Checks a request through a custom proxy, and resolves the address of this proxy. The proxy must be as reachable as a
 * page: public or allowed. The proxy resolves the page's host, so this host is checked by name only.
 */
export async function resolveUpstream(request: Host, proxy: CustomProxy, rules: Rules): Promise<Target> {
  const refused = pageRefusal(request, rules.allowed);
  if (refused !== null) return refuse(refused);
  const target = await resolveTarget({ hostname: proxy.host, port: proxy.port }, rules.allowed, rules.resolve);
  if (target.kind === 'open') return target;
  return { ...target, reason: `of the custom proxy: ${target.reason}`, told: `of the custom proxy: ${target.told}` };
}

/**
 * Returns why the page's host must not be sent to a proxy that resolves names itself; null if it may be sent. Checks IP
 * addresses, loopback names and denied names.
 */
export function pageRefusal({ hostname: written, port }: Host, allowed: AllowList): string | null {
  const hostname = written.replace(/^\[(.*)\]$/, '$1');
  const denied = deniedHost(hostname);
  if (denied !== null) return `${hostname} is ${denied}`;
  if (isLocalhost(hostname)) return `${hostname} is loopback`;
  if (isIP(hostname) === 0 || allowed(hostname, port)) return null;
  const forbidden = checkAddress(hostname);
  return forbidden === null ? null : `${hostname} is ${forbidden}`;
}

/**
 * Returns the proxy's URL with its credentials, for the proxy library. For SOCKS5 the host is a checked address. The
 * URL must not be logged.
 */
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
 * Returns a replacement for `dns.lookup` that always returns the checked addresses. A second lookup at connect time
 * would allow DNS rebinding.
 */
export function pinned(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname: string, options: LookupOptions, done: Done): void => {
    const [first] = addresses;
    if (options.all === true) done(null, [...addresses]);
    else if (first !== undefined) done(null, first.address, first.family);
  };
}

/** Address ranges that pages must not reach unless `--allow` names them. Each range has a description for messages. */
const forbiddenRanges = [
  ['0.0.0.0/8', 'this machine'],
  ['10.0.0.0/8', 'a private network'],
  ['100.64.0.0/10', 'a carrier-grade NAT network'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local, where clouds keep their metadata service'],
  ['172.16.0.0/12', 'a private network'],
  ['192.0.0.0/24', 'reserved for protocols'],
  ['192.0.2.0/24', 'reserved for documentation'],
  ['192.88.99.0/24', 'the retired 6to4 relay'],
  ['192.168.0.0/16', 'a private network'],
  ['198.18.0.0/15', 'reserved for benchmarks'],
  ['198.51.100.0/24', 'reserved for documentation'],
  ['203.0.113.0/24', 'reserved for documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
  ['::/128', 'this machine'],
  ['::1/128', 'loopback'],
  ['64:ff9b::/96', 'a translation prefix that can lead to a private IPv4 address'],
  ['64:ff9b:1::/48', 'a local translation prefix'],
  ['100::/64', 'the discard prefix'],
  ['2001::/32', 'a Teredo tunnel'],
  ['2001:db8::/32', 'reserved for documentation'],
  ['2002::/16', 'a 6to4 tunnel that can lead to a private IPv4 address'],
  ['fc00::/7', 'a private network'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'a retired private network'],
  ['ff00::/8', 'multicast'],
] as const;

const compiled = forbiddenRanges.map(([range, reason]) => ({ reason, list: rangeList(range) }));

/** All allocated global IPv6 addresses; other ranges are not public. */
const publicV6 = rangeList('2000::/3');

/**
 * Returns why an IP address is forbidden, or null for a public address. Accepts IPv4, IPv6 and IPv4-mapped IPv6
 * (`::ffff:127.0.0.1`, `::ffff:7f00:1`). Text that is no IP address is forbidden.
 */
export function checkAddress(address: string): string | null {
  const plain = unmapped(address);
  const family = isIP(plain);
  if (family === 0) return 'not an IP address';
  const reason = compiled.find(({ list }) => list.check(plain, family === 4 ? 'ipv4' : 'ipv6'))?.reason ?? null;
  return reason === null && family === 6 && !publicV6.check(plain, 'ipv6') ? 'outside the public internet' : reason;
}

/** Parses an address range in CIDR notation; throws a RangeError for invalid text. */
function rangeList(range: string): BlockList {
  const parsed = parseAddressRange(range);
  if (parsed === null) throw new RangeError(`${range} is not an address range such as 10.0.0.0/8.`);
  const list = new BlockList();
  list.addSubnet(parsed.address, parsed.prefix, parsed.family);
  return list;
}

/**
 * Converts an IPv4-mapped, IPv4-compatible or IPv4-translated (`::ffff:0:a.b.c.d`) IPv6 address to IPv4. Returns other
 * IPv6 addresses in their shortest form without a zone, and any other text unchanged.
 */
export function unmapped(address: string): string {
  if (isIP(address) !== 6) return address;
  // SocketAddress converts every IPv6 notation to its shortest form.
  const canonical = new SocketAddress({ address: address.split('%', 1).join(''), family: 'ipv6' }).address;
  const dotted = /^::(?:ffff:(?:0:)?)?(\d+\.\d+\.\d+\.\d+)$/.exec(canonical)?.[1];
  if (dotted !== undefined) return dotted;
  const [, high, low] = /^::ffff:(?:0:)?([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? [];
  return high === undefined || low === undefined
    ? canonical
    : dottedQuad(Number.parseInt(high, 16), Number.parseInt(low, 16));
}

function dottedQuad(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** Names that lead to the metadata service of a cloud, whatever address they resolve to. */
const metadataHosts = ['metadata', 'metadata.google.internal', 'metadata.goog', 'instance-data'] as const;

/**
 * Hosts that Chromium contacts by itself, even with background networking disabled. They are blocked, so that projects
 * do not pay for this traffic and browsers install no updates.
 */
const chromiumHosts = [
  'accounts.google.com',
  'android.clients.google.com',
  'clients1.google.com',
  'clients2.google.com',
  'clients3.google.com',
  'clients4.google.com',
  'clientservices.googleapis.com',
  'content-autofill.googleapis.com',
  'edgedl.me.gvt1.com',
  'mtalk.google.com',
  'optimizationguide-pa.googleapis.com',
  'redirector.gvt1.com',
  'safebrowsing.googleapis.com',
  'update.googleapis.com',
] as const;

const reasons = new Map<string, string>([
  ...metadataHosts.map((host) => [host, 'a cloud metadata service'] as const),
  ...chromiumHosts.map((host) => [host, "the browser's own traffic"] as const),
]);

/**
 * Returns why a host name must not be resolved, such as a cloud metadata service; null if it may be. Ignores case and a
 * trailing dot.
 */
function deniedHost(hostname: string): string | null {
  return reasons.get(hostname.toLowerCase().replace(/\.$/, '')) ?? null;
}

/** Tells whether the operator permits pages to reach an otherwise forbidden address and port. */
export type AllowList = (address: string, port: number) => boolean;

/**
 * Parses the exceptions of `--allow`: `host:port` with an IP address (`127.0.0.1:8080`, `[::1]:8080`), or an address
 * range (`10.1.0.0/16`) for every port. Throws a RangeError that quotes an invalid entry. Host names are not accepted,
 * because other parties control what they resolve to.
 */
export function parseAllowList(entries: readonly string[]): AllowList {
  const rules = entries.map(parseEntry);
  return (address, port) => rules.some((rule) => rule(unmapped(address), port));
}

function parseEntry(entry: string): AllowList {
  if (entry.includes('/')) {
    const list = rangeList(entry);
    return (address) => list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }
  const [, inBrackets, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(entry) ?? [];
  const host = inBrackets ?? plain ?? '';
  if (isIP(host) === 0 || !isPort(Number(port)))
    throw new RangeError(`${entry} is neither an address with a port (127.0.0.1:8080) nor a range (10.1.0.0/16).`);
  return (address, wanted) => address === unmapped(host) && wanted === Number(port);
}
