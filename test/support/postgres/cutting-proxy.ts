import { rmSync } from 'node:fs';
import { type Server, type Socket, createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { quickFolder } from '../quick-folder.ts';

/** A proxy of PostgreSQL connections that can cut them. */
export interface CuttingProxy {
  /** URL of the database through the proxy. */
  readonly address: string;
  /** Number of accepted connections. */
  readonly connections: number;
  /**
   * Cuts the connection of the next commit, so that the client gets no answer: either before the commit reaches the
   * database, or when the database has answered.
   */
  cutNextCommit(when: 'before' | 'after'): void;
  close(): Promise<void>;
}

const socketName = '.s.PGSQL.5432';
/** The commit statement in the protocol; no other statement ends with these bytes. */
const commit = Buffer.from('commit\0');

/** Starts a proxy in front of a PostgreSQL server. The server's URL contains the folder of its socket. */
export async function startCuttingProxy(address: string): Promise<CuttingProxy> {
  const folder = quickFolder('svc-pg-cut-');
  const behind = join(new URL(address.replace('@/', '@localhost/')).searchParams.get('host') ?? '', socketName);
  let cut: 'before' | 'after' | null = null;
  let connections = 0;
  const server: Server = createServer((client) => {
    connections += 1;
    const upstream = createConnection(behind);
    const end = (): void => [client, upstream].forEach((socket: Socket) => socket.destroy());
    let isCutNext = false;
    client.on('data', (bytes) => {
      const when = bytes.includes(commit) ? cut : null;
      if (when !== null) cut = null;
      isCutNext ||= when === 'after';
      if (when === 'before') end();
      else upstream.write(bytes);
    });
    upstream.on('data', (bytes) => (isCutNext ? end() : client.write(bytes)));
    for (const socket of [client, upstream]) socket.on('close', end).on('error', end);
  });
  await new Promise<void>((resolve) => server.listen(join(folder, socketName), resolve));
  return {
    address: address.replace(/host=[^&]*/, `host=${encodeURIComponent(folder)}`),
    get connections() {
      return connections;
    },
    cutNextCommit: (when) => void (cut = when),
    async close() {
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true });
    },
  };
}
