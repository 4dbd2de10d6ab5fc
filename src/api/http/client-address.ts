import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { parseAddressRange } from '#lib/http.ts';

/**
 * Returns the IP address of the client. Without a trusted proxy it is the peer address of the connection. Behind a
 * trusted proxy it is the last address in `X-Forwarded-For` that is not a trusted proxy, or the first address if all
 * are trusted proxies. Returns the peer address if the address in the header is invalid, and '' after a disconnect.
 */
export function clientAddress(
  { socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>,
  isProxy: TrustedProxies | undefined,
): string {
  const peer = socket.remoteAddress ?? '';
  const forwarded = headers['x-forwarded-for'];
  if (isProxy === undefined || forwarded === undefined || !isProxy(peer)) return peer;
  const told = String(forwarded)
    .split(',')
    .map((text) => text.trim())
    .toReversed();
  const client = told.find((address) => !isProxy(address)) ?? told.at(-1) ?? '';
  return isIP(client) === 0 ? peer : client;
}

/**
 * Parses addresses (`10.0.0.1`) and ranges (`10.0.0.0/8`, `fd00::/8`) of proxies. Throws a RangeError that quotes any
 * other text. Host names are not accepted, because an attacker may control their DNS records.
 */
export function parseTrustedProxies(texts: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const text of texts) {
    const range = parseAddressRange(text);
    if (range === null)
      throw new RangeError(`${text} is neither an address (10.0.0.1) nor a range of addresses (10.0.0.0/8).`);
    list.addSubnet(range.address, range.prefix, range.family);
  }
  // BlockList treats IPv4-mapped IPv6 addresses as IPv4.
  return (address) => {
    const family = isIP(address);
    return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
  };
}

/** Returns whether an address belongs to a proxy whose `X-Forwarded-For` header is trusted. */
export type TrustedProxies = (address: string) => boolean;
