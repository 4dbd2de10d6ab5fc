import { createHash } from 'node:crypto';
import type { RuleBook } from '#contract/rule-book.ts';
import type { LaunchOptions } from '../host.ts';
import { type Place, getPlace } from '../launch/exit-location.ts';
import { type CustomProxy, fillGaps, type NamesAre, type ProxyRow, type ProxyTable } from './proxy-file.ts';

/** Proxy options for all browsers. */
export interface ExitOptions {
  /** Locations of the countries. */
  readonly countries: RuleBook['countries'];
  /** Managed proxies by country. */
  readonly proxies: ProxyTable;
  /**
   * Whether a launch fails when the proxy file has no row for the requested country. False uses the machine's own
   * network.
   */
  readonly required: boolean;
}

/** Network route of one browser. */
export interface Exit {
  /** Upstream proxy; null for the machine's own network. */
  readonly upstream: CustomProxy | ManagedProxy | null;
  /** Geographic location that the browser reports: that of the requested country. Null for the machine's location. */
  readonly place: Place | null;
  /** Whether the browser's traffic is charged to the project. */
  readonly isMetered: boolean;
}

/**
 * Selects the network route of a browser: its custom proxy, else the managed proxy of its country, else the machine's
 * network. With a custom proxy or without a country, sets no location and charges no traffic. Throws when proxies are
 * required and the proxy file has no row for the country.
 */
export function selectExit(
  { countries, proxies, required }: ExitOptions,
  wanted: Pick<LaunchOptions, 'sessionId' | 'proxyCountryCode' | 'customProxy'>,
): Exit {
  const { sessionId, proxyCountryCode: country, customProxy = null } = wanted;
  if (customProxy !== null || country === null) return { upstream: customProxy, place: null, isMetered: false };
  const row = proxies.get(country);
  if (row === undefined && required)
    throw new Error(
      `Found no managed proxy for ${country}, expected one for every country: add a row to the proxies file.`,
    );
  const upstream = row === undefined || row === 'direct' ? null : managedProxy(row, { country, sessionId });
  return { upstream, place: getPlace(countries, country), isMetered: true };
}

/** A managed proxy for one browser. */
export interface ManagedProxy extends CustomProxy {
  /** Code of the country from which servers see the traffic. */
  readonly country: string;
  readonly names: NamesAre;
}

/** Returns whether a proxy is a managed proxy, whose address is trusted. */
export function isManaged(proxy: CustomProxy): proxy is ManagedProxy {
  return 'names' in proxy;
}

/** Values that fill the placeholders of a row of the proxy file. */
export interface ManagedFor {
  readonly country: string;
  /**
   * Session id. The proxy receives only the hash of this id, and can use one exit address for all connections of a
   * session.
   */
  readonly sessionId: string;
}

const sessionLength = 16;

/** Fills the placeholders of a row of the proxy file for one browser. */
function managedProxy(row: ProxyRow, { country, sessionId }: ManagedFor): ManagedProxy {
  // A hash, so that session ids stay internal.
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
