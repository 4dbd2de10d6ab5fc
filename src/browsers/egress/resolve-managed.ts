import type { ManagedProxy } from '../exits/managed-proxy.ts';
import { type Rules, type Target, refuse, resolveHost, resolveTarget } from './resolve-target.ts';
import { type Host, refusalOfPage } from './upstream.ts';

/**
 * Where a request goes that leaves through a proxy of the operator: to the proxy, whose own address is the operator's word. The page's
 * name is resolved here and judged like one that leaves directly; the proxy is then asked for the address that was judged, or, where it
 * looks names up itself, for the name, also for one that only it knows.
 */
export async function resolveManaged(request: Host, proxy: ManagedProxy, rules: Rules): Promise<Target> {
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
