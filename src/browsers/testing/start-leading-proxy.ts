import { once } from 'node:events';
import { type IncomingMessage, createServer, request as send } from 'node:http';
import { type Socket, connect } from 'node:net';
import type { ForwardProxy, ProxyOptions } from './start-http-proxy.ts';

/** Options of a proxy that connects every request to a loopback port. */
export interface Leading {
  /** Required credentials. @defaultValue none */
  readonly account?: ProxyOptions;
  /** Returns the loopback port to connect to for a requested host and port. @defaultValue the requested port */
  readonly choosePort?: (target: { readonly host: string; readonly port: number }) => number;
}

/**
 * Starts an HTTP proxy that connects every requested address and host name to loopback. Thereby tests can have servers
 * at public addresses.
 */
export async function startLeadingProxy({
  account,
  choosePort = ({ port }) => port,
}: Leading = {}): Promise<ForwardProxy> {
  const targets: string[] = [];
  const sockets = new Set<Socket>();
  let refusals = 0;
  const word = account && `Basic ${Buffer.from(`${account.username}:${account.password}`).toString('base64')}`;
  const mayPass = ({ headers }: IncomingMessage): boolean => {
    const may = word === undefined || headers['proxy-authorization'] === word;
    refusals += may ? 0 : 1;
    return may;
  };
  const lead = (authority: string): number => {
    const { hostname, port } = new URL(`connect://${authority}`);
    targets.push(authority);
    return choosePort({ host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) });
  };
  const server = createServer((request, response) => {
    if (!mayPass(request)) return response.writeHead(407).end();
    const url = new URL(request.url ?? '');
    const port = lead(`${url.hostname}:${url.port === '' ? 80 : url.port}`);
    const path = `${url.pathname}${url.search}`;
    const { method, headers } = request;
    const onward = send({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    return request.pipe(onward);
  });
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  };
  server.on('connection', keep);
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    if (!mayPass(request)) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const target = connect(lead(request.url ?? ''), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    keep(target);
    target.on('close', () => socket.destroy());
    return void socket.on('close', () => target.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('The proxy has no port.');
  return {
    port: address.port,
    targets,
    refusals: () => refusals,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
