import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import type { AllowList } from './allow-list.ts';
import { checkAddress } from './check-address.ts';
import type { CustomProxy } from './custom-proxy.ts';
import { deniedHost } from './denied-hosts.ts';
import { type Rules, type Target, isLocalhost, refuse, resolveTarget } from './resolve-target.ts';

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
