import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { Socket } from 'node:net';

/** A web server on loopback that counts connections. */
export interface CountingServer {
  readonly port: number;
  /** Returns the number of connections. */
  connections(): number;
  close(): Promise<void>;
}

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<CountingServer> {
  let connections = 0;
  const server = createServer(answer);
  server.on('connection', (socket: Socket) => {
    connections += 1;
    socket.on('error', () => socket.destroy());
  });
  server.on('upgrade', (_request, socket: Socket) => socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('The test server has no port.');
  return {
    port: address.port,
    connections: () => connections,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Starts the server that all internal addresses reach in the tests. Its path `/file` is a download. */
export function serveInside(): Promise<CountingServer> {
  return serve((request, response) => {
    const head = { 'access-control-allow-origin': '*', 'access-control-allow-private-network': 'true' };
    const type = { 'content-type': 'text/html', connection: 'close' };
    const save = request.url === '/file' ? { 'content-disposition': 'attachment; filename="inside.txt"' } : {};
    // The icon in the page prevents a request for `/favicon.ico`.
    response.writeHead(200, { ...head, ...type, ...save }).end('<link rel="icon" href="data:,">inside');
  });
}

/** Starts a site of an attacker: a page, a service worker, and a redirection from `/to?URL` to the URL. */
export function serveSite(): Promise<CountingServer> {
  return serve((request, response) => {
    const [path = '', query = ''] = (request.url ?? '/').split('?');
    if (path === '/to') return void response.writeHead(302, { location: decodeURIComponent(query) }).end();
    const isScript = path === '/service-worker.js';
    const script = 'onmessage = ({ data }) => fetch(data, { mode: "no-cors" }).catch(() => 0)';
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' });
    return void response.end(isScript ? script : '<title>Site</title><body></body>');
  });
}
