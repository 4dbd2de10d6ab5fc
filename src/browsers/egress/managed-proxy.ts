import { createHash } from 'node:crypto';
import type { RuleBook } from '#contract/rule-book.ts';
import type { LaunchOptions } from '../host.ts';
import { type Place, placeOf } from '../launch/exit-location.ts';
import { type CustomProxy, fillGaps, type NamesAre, type ProxyRow, type ProxyTable } from './proxy-file.ts';

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

/** A forward proxy of the operator through which one browser leaves. */
export interface ManagedProxy extends CustomProxy {
  /** The country that it leaves from. */
  readonly country: string;
  readonly names: NamesAre;
}

/** Whether a proxy is one of the operator, whose word its own address is. */
export function isManaged(proxy: CustomProxy): proxy is ManagedProxy {
  return 'names' in proxy;
}

/** For whom a row is filled in. */
export interface ManagedFor {
  readonly country: string;
  /** Names the browser; the proxy gets a word made from it, by which it can give one browser one address. */
  readonly sessionId: string;
}

const sessionLength = 16;

/** The proxy of a row for one browser. */
function managedProxy(row: ProxyRow, { country, sessionId }: ManagedFor): ManagedProxy {
  // A hash: nobody outside learns the ids of sessions.
  const session = createHash('sha256').update(sessionId).digest('hex').slice(0, sessionLength);
  const gaps = { country, session };
  const { scheme, port, ignoreCertErrors, names } = row;
  return {
    scheme,
    host: fillGaps(row.host, gaps),
    port,
    username: row.username === null ? null : fillGaps(row.username, gaps),
    password: row.password === null ? null : fillGaps(row.password, gaps),
    ignoreCertErrors,
    country,
    names,
  };
}
