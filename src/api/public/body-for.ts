import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';

/** The bytes of an answer, of which a HEAD request has none read: the framework would read all of them to throw them away. */
export function bodyFor({ method }: Pick<FastifyRequest, 'method'>, bytes: Readable): Readable {
  return method === 'HEAD' ? bytes.destroy() : bytes;
}
