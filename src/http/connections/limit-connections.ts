import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { problem } from '#domain/problems.ts';
import type { RuleBook } from '#domain/rule-book.ts';
import { addressGroup } from '../address-group.ts';
import { clientAddress } from '../client-address.ts';
import { refuse } from '../refuse.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** Past the limit a connection is told so; past this many times the limit it is cut off unheard. */
const deafAt = 2;

/** How many connections may be held, and by whom not. */
export interface ConnectionBounds {
  /** Of one address (of IPv6 one network of 64 bits), at least 1. */
  readonly max: number;
  /** A proxy holds any number: the requests that it brings count for whom they come from, as long as they are under way. */
  readonly isProxy: TrustedProxies;
}

/** Lets one address hold at most so many connections. */
export function limitConnections(app: FastifyInstance, { max, isProxy }: ConnectionBounds, rules: RuleBook): void {
  const open = createCounts();
  const tooMany = new WeakSet<object>();
  app.server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (isProxy(address)) return;
    const { count, leave } = open.enter(addressGroup(address));
    socket.once('close', leave);
    if (count > max * deafAt) socket.destroy();
    else if (count > max) tooMany.add(socket);
  });
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    if (isProxy(socket.remoteAddress ?? '')) {
      const { count, leave } = open.enter(addressGroup(clientAddress(request)));
      reply.raw.once('close', leave);
      if (count <= max) return done();
    } else if (!tooMany.has(socket)) return done();
    const { status, body } = refuse(problem('too_many_connections', { limit: String(max) }), rules);
    void reply.code(status).header('connection', 'close').send(body);
  });
}

interface Entered {
  /** How many there are of that name, this one included. */
  readonly count: number;
  readonly leave: () => void;
}

/** Counts by name; a name without any is not kept. */
function createCounts(): { enter(name: string): Entered } {
  const counts = new Map<string, number>();
  return {
    enter(name) {
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      const leave = (): void => {
        const left = (counts.get(name) ?? 1) - 1;
        if (left === 0) counts.delete(name);
        else counts.set(name, left);
      };
      return { count, leave };
    },
  };
}
