import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Problem, problem } from '#contract/problems.ts';
import { addressGroup } from '#lib/address-group.ts';
import { clientAddress } from '../client-address.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** Past the limit a connection is told so; past this many times the limit it is cut off unheard. */
const deafAt = 2;

/** How many connections may be held, and by whom not. */
export interface ConnectionBounds {
  /** Of one address (of IPv6 one network of 64 bits), at least 1. */
  readonly max: number;
  /** A proxy holds any number: the requests that it brings count for whom they come from, as long as they are under way. */
  readonly isProxy: TrustedProxies | undefined;
}

/** Lets one address hold at most so many connections of a server; answers what refuses a request of one too many, and null for every other. */
export function limitConnections(
  server: Server,
  { max, isProxy }: ConnectionBounds,
): (request: IncomingMessage, response: ServerResponse) => Problem | null {
  const open = createCounts();
  const tooMany = new WeakSet<object>();
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (isProxy?.(address) === true) return;
    const { count, leave } = open.enter(addressGroup(address));
    socket.once('close', leave);
    if (count > max * deafAt) socket.destroy();
    else if (count > max) tooMany.add(socket);
  });
  const refusal = problem('too_many_connections', { limit: String(max) });
  return (request, response) => {
    const { socket } = request;
    if (isProxy?.(socket.remoteAddress ?? '') !== true) return tooMany.has(socket) ? refusal : null;
    const { count, leave } = open.enter(addressGroup(clientAddress(request, isProxy)));
    response.once('close', leave);
    return count <= max ? null : refusal;
  };
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
