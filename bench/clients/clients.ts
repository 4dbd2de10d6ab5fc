import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ClientsOrder, ClientsReport } from './busy-clients.ts';

/** Clients in a process of their own. */
export interface Clients {
  /** Does one order; rejects when an answer had another status, because then something else was measured. */
  send(order: Order): Promise<ClientsReport>;
  end(): void;
}

/** An order with a whole address; what is absent is not wanted. */
export interface Order extends Omit<ClientsOrder, 'port' | 'requests' | 'keepBodies' | 'ms'> {
  /** Requests by address; all at the same server. */
  readonly requests: readonly ClientRequest[];
  readonly ms?: number;
  readonly keepBodies?: boolean;
}

/** A request before it is written. */
export interface ClientRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON; none when absent. */
  readonly body?: string;
}

/** Starts the process. */
export function startClients(): Clients {
  const child: ChildProcess = fork(join(import.meta.dirname, 'busy-clients.ts'));
  return {
    async send({ requests, ms, keepBodies = false, ...order }) {
      const told = once(child, 'message');
      const { port } = new URL(requests[0]?.url ?? '');
      const wanted = { ...order, port: Number(port), requests: requests.map(written), ms: ms ?? null, keepBodies };
      child.send(wanted satisfies ClientsOrder);
      // What our own process tells has the shape that its source says.
      const [report]: ClientsReport[] = await told;
      if (report === undefined) throw new Error('the clients told nothing');
      if (report.fault !== null) throw new Error(`${requests[0]?.method} ${requests[0]?.url}: ${report.fault}`);
      return report;
    },
    end: () => child.disconnect(),
  };
}

/** A request as HTTP/1.1 writes it. */
function written({ method, url, headers, body = '' }: ClientRequest): string {
  const { host, pathname, search } = new URL(url);
  const length =
    body === '' ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries({ host, ...headers, ...length }).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${pathname}${search} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}
