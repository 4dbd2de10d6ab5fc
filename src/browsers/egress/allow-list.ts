import { isIP } from 'node:net';
import { rangeList, unmapped } from './check-address.ts';

/** Decides whether an address that is forbidden otherwise may be reached. */
export type AllowList = (address: string, port: number) => boolean;

/**
 * Reads a list of exceptions: `host:port` with an IP address for a host (`127.0.0.1:8080`, `[::1]:8080`) or an address
 * range (`10.1.0.0/16`), which allows every port. Throws a RangeError that quotes an entry of any other form.
 * Host names are not accepted: what they resolve to is under the control of others.
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
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(entry) ?? [];
  const host = bracketed ?? plain ?? '';
  if (isIP(host) === 0)
    throw new RangeError(`${entry} is neither an address with a port (127.0.0.1:8080) nor a range (10.1.0.0/16).`);
  return (address, wanted) => address === unmapped(host) && wanted === Number(port);
}
