import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/**
 * Whom a request comes from: the peer of its connection, or whom a trusted proxy says that it speaks for (`X-Forwarded-For`, the
 * last address there that is no trusted proxy's). What is no address is not believed. Empty when the connection is gone.
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
 * Reads addresses (`10.0.0.1`) and ranges (`10.0.0.0/8`, `fd00::/8`) of proxies. Throws a RangeError that quotes a text of any other form:
 * what a name leads to is in the hands of others.
 */
export function parseTrustedProxies(texts: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const text of texts) {
    const [address = '', length, ...more] = text.split('/');
    const family = isIP(address);
    const whole = family === 4 || family === 6 ? bits[family] : -1;
    const prefix = length === undefined ? whole : /^\d{1,3}$/.test(length) ? Number(length) : -1;
    if (prefix < 0 || prefix > whole || more.length > 0)
      throw new RangeError(`${text} is neither an address (10.0.0.1) nor a range of addresses (10.0.0.0/8).`);
    list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
  }
  // IPv4 in the clothes of IPv6 is IPv4 to such a list.
  return (address) => {
    const family = isIP(address);
    return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
  };
}

const bits = { 4: 32, 6: 128 } as const;

/** Whether an address is that of a proxy whose word on whom it speaks for is believed. */
export type TrustedProxies = (address: string) => boolean;
