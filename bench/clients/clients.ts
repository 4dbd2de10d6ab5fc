import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { nextMessage } from '../run-program.ts';
import type { ClientsOrder, ClientsReport } from './busy-clients.ts';

/** HTTP clients that run in a child process. */
export interface Clients {
  /**
   * Sends the requests of an order and resolves with the report. Rejects after a connection error or a response with an
   * unexpected status, because the measurement would be meaningless.
   */
  send(order: Order): Promise<ClientsReport>;
  /** Ends the child process; does nothing if it has ended. */
  end(): void;
}

/**
 * An order before its conversion for the child process: requests have complete URLs and are not serialised. Without
 * `ms`, each request is sent once; without `keepBodies`, the report has no bodies.
 */
export interface Order extends Omit<ClientsOrder, 'port' | 'requests' | 'keepBodies' | 'ms'> {
  /** Requests, each with its complete URL. All URLs must belong to the same server. */
  readonly requests: readonly ClientRequest[];
  readonly ms?: number;
  readonly keepBodies?: boolean;
}

/** A request of the clients before serialisation. */
export interface ClientRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON body. @defaultValue none */
  readonly body?: string;
}

/** Starts the child process. */
export function startClients(): Clients {
  const child: ChildProcess = fork(join(import.meta.dirname, 'busy-clients.ts'));
  return {
    async send({ requests, ms, keepBodies = false, ...order }) {
      const told = nextMessage(child);
      const { port } = new URL(requests[0]?.url ?? '');
      const wanted = { ...order, port: Number(port), requests: requests.map(written), ms: ms ?? null, keepBodies };
      child.send(wanted satisfies ClientsOrder);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the source of the child process states the type
      const report = (await told) as ClientsReport | undefined;
      if (report === undefined) throw new Error('the clients told nothing');
      if (report.fault !== null) throw new Error(`${requests[0]?.method} ${requests[0]?.url}: ${report.fault}`);
      return report;
    },
    end() {
      if (child.connected) child.disconnect();
    },
  };
}

/** Serialises a request as HTTP/1.1. */
function written({ method, url, headers, body = '' }: ClientRequest): string {
  const { host, pathname, search } = new URL(url);
  const length =
    body === '' ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries({ host, ...headers, ...length }).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${pathname}${search} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}
