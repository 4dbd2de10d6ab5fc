import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * Whom a request comes from: the peer of its connection, or whom a trusted proxy says that it speaks for (`X-Forwarded-For`, the
 * last address there that is no trusted proxy's). What is no address is not believed. Empty when the connection is gone.
 */
export function clientAddress({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  return typeof ip === 'string' && isIP(ip) !== 0 ? ip : (socket.remoteAddress ?? '');
}
