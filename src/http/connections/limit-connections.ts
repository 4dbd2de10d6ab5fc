import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { problem } from '#domain/problems.ts';
import type { RuleBook } from '#domain/rule-book.ts';
import { addressGroup } from '../address-group.ts';
import { refuse } from '../refuse.ts';

/** Past the limit a connection is told so; past this many times the limit it is cut off unheard. */
const deafAt = 2;

/** Lets one address (of IPv6 one network of 64 bits) hold at most `max` connections, at least 1. */
export function limitConnections(app: FastifyInstance, max: number, rules: RuleBook): void {
  const open = new Map<string, number>();
  const tooMany = new WeakSet<object>();
  app.server.on('connection', (socket: Socket) => {
    const group = addressGroup(socket.remoteAddress ?? '');
    const count = (open.get(group) ?? 0) + 1;
    open.set(group, count);
    socket.once('close', () => {
      const left = (open.get(group) ?? 1) - 1;
      if (left === 0) open.delete(group);
      else open.set(group, left);
    });
    if (count > max * deafAt) socket.destroy();
    else if (count > max) tooMany.add(socket);
  });
  app.addHook('onRequest', async (request, reply) => {
    if (!tooMany.has(request.raw.socket)) return;
    const { status, body } = refuse(problem('too_many_connections', { limit: String(max) }), rules);
    await reply.code(status).header('connection', 'close').send(body);
  });
}
