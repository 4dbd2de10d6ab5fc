import { lookup, type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import type { AllowList } from './allow-list.ts';
import { checkAddress } from './check-address.ts';
import { deniedHost } from './denied-hosts.ts';

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
export function isLocalhost(hostname: string): boolean {
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
