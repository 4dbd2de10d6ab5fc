import { createServer } from 'node:http';
import { once } from 'node:events';

/** A web server on loopback for tests. */
export interface PageServer {
  /** `127.0.0.1:<port>`, as it stands in addresses and in allow lists. */
  readonly host: string;
  /** `http://127.0.0.1:<port>`. */
  readonly origin: string;
  close(): Promise<void>;
}

/** Serves HTML pages by path on a free loopback port; every other path answers 404. */
export async function servePages(pages: Readonly<Record<string, string>>): Promise<PageServer> {
  const server = createServer((request, response) => {
    const page = pages[new URL(request.url ?? '/', 'http://localhost').pathname];
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(page ?? 'not found');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('The test server has no port.');
  const host = `127.0.0.1:${address.port}`;
  return {
    host,
    origin: `http://${host}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
