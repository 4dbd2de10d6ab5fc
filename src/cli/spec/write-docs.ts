import { mkdirSync, writeFileSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import { dirname } from 'node:path';
import { once } from 'node:events';
import { referenceScript, standalonePage } from '#api/http/documents/index.ts';

/** Writes the reference of the three documents as one HTML file that works offline; creates missing folders. */
export async function writeDocs(file: string): Promise<void> {
  const page = standalonePage(await referenceScript());
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, page);
}

/** A server that returns the reference for every path. */
export interface DocsServer {
  /** URL, for example `http://127.0.0.1:4020/docs`. */
  readonly address: string;
  /** Closes all connections; resolves when the server has stopped. */
  close(): Promise<void>;
}

/** Serves the reference; port 0 selects a free port. Rejects with the operating system error for a port in use. */
export async function serveDocs(port: number, host: string): Promise<DocsServer> {
  const page = standalonePage(await referenceScript());
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'x-content-type-options': 'nosniff' });
    response.end(page);
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${listeningPort(server)}/docs`,
    close: () => close(server),
  };
}

function listeningPort(server: Server): number {
  const address = server.address();
  if (typeof address === 'object' && address !== null) return address.port;
  throw new Error(`found the address ${String(address)}, expected one with a port`);
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
