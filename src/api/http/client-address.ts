import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { TrustedProxies } from './connections/trusted-proxies.ts';

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
