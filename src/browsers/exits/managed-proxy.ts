import { createHash } from 'node:crypto';
import type { CustomProxy } from '../egress/custom-proxy.ts';
import type { NamesAre, ProxyRow } from './proxy-table.ts';
import { fillGaps } from './fill-gaps.ts';

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
export function managedProxy(row: ProxyRow, { country, sessionId }: ManagedFor): ManagedProxy {
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
