import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';

/** A web server on loopback for tests. */
export interface PageServer {
  /** `127.0.0.1:<port>`, as in URLs and allow lists. */
  readonly host: string;
  /** `http://127.0.0.1:<port>`. */
  readonly origin: string;
  /** Returns the hosts of all requests in order. */
  hosts(): readonly string[];
  /** Resolves when the first request for `/held` has arrived. */
  heldArrived(): Promise<void>;
  /** Waits for the first request for `/held` and answers it with a page of this title. */
  answerHeld(title: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts a server of HTML pages, given by path, on a free loopback port. Requests for `/held` wait for `answerHeld`;
 * any other path answers 404.
 */
export async function servePages(pages: Readonly<Record<string, string>>): Promise<PageServer> {
  const held = Promise.withResolvers<ServerResponse>();
  const hosts: string[] = [];
  const server = createServer((request, response) => {
    hosts.push(request.headers.host ?? '');
    if (request.url === '/held') return held.resolve(response);
    const page = pages[new URL(request.url ?? '/', 'http://localhost').pathname];
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
    return response.end(page ?? 'not found');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('The test server has no port.');
  const host = `127.0.0.1:${address.port}`;
  return {
    host,
    origin: `http://${host}`,
    hosts: () => hosts,
    async heldArrived() {
      await held.promise;
    },
    async answerHeld(title) {
      const response = await held.promise;
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>${title}</title>`);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
