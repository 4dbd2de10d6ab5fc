import type { RuleBook } from '#contract/rule-book.ts';
import type { CustomProxy } from '../egress/custom-proxy.ts';
import type { LaunchOptions } from '../host.ts';
import { type ManagedProxy, managedProxy } from './managed-proxy.ts';
import { type Place, placeOf } from './place.ts';
import type { ProxyTable } from './proxy-table.ts';

/** By what way browsers can leave. */
export interface ExitOptions {
  /** Where the countries are. */
  readonly countries: RuleBook['countries'];
  /** The proxies of the operator. */
  readonly proxies: ProxyTable;
  /** Whether a country without a row starts no browser; else it leaves by this machine's own network. */
  readonly required: boolean;
}

/** How one browser leaves. */
export interface Exit {
  /** Null for this machine's own network. */
  readonly upstream: CustomProxy | ManagedProxy | null;
  /** Where it stands; null for where this machine stands. */
  readonly place: Place | null;
  /** Whether what it exchanges is traffic of the managed proxy. */
  readonly isMetered: boolean;
}

/**
 * The exit of a browser: its custom proxy, else that of its country, else this machine's own network. With a custom proxy, and without
 * a country, nothing is known of the place and nothing is counted. Throws where a country has to have a proxy and has none.
 */
export function exitOf(
  { countries, proxies, required }: ExitOptions,
  wanted: Pick<LaunchOptions, 'sessionId' | 'proxyCountryCode' | 'customProxy'>,
): Exit {
  const { sessionId, proxyCountryCode: country, customProxy = null } = wanted;
  if (customProxy !== null || country === null) return { upstream: customProxy, place: null, isMetered: false };
  const row = proxies.get(country);
  if (row === undefined && required)
    throw new Error(`No proxy leaves from ${country}, and nobody leaves without one here.`);
  const upstream = row === undefined || row === 'direct' ? null : managedProxy(row, { country, sessionId });
  return { upstream, place: placeOf(countries, country), isMetered: true };
}
