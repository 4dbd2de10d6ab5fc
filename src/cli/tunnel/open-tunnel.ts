import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { answerDiscovery } from './answer-discovery.ts';
import { askBrowser } from './ask-browser.ts';
import { checkCaller } from './check-caller.ts';
import { openPageSocket, pageTarget } from './page-socket.ts';
import { passOn, refuse } from './pass-on.ts';
import { TunnelFault } from './tunnel-fault.ts';
import type { Way } from './way.ts';

/** What a tunnel is made of. */
export interface TunnelOptions extends Way {
  /** Port on 127.0.0.1; 0 takes a free one. */
  readonly port: number;
  /** Told why a connection came to nothing. */
  readonly onFault: (fault: TunnelFault) => void;
}

/** A local address of the form that Chromium's own DevTools port has. */
export interface Tunnel {
  /** `127.0.0.1:<port>`, as chromedriver's debuggerAddress takes it. */
  readonly address: string;
  /** Settles with the fault when the address leads to no browser any more; never rejects. */
  readonly over: Promise<TunnelFault>;
  /** Ends it and every connection through it; the browser lives on. */
  close(): Promise<void>;
}

/** Opens a tunnel. Rejects with a TunnelFault where no browser answers, and with the system's error where the port is taken. */
export async function openTunnel({ port, onFault, ...way }: TunnelOptions): Promise<Tunnel> {
  await askBrowser(way, 'Browser.getVersion');
  const { promise: over, resolve: end } = Promise.withResolvers<TunnelFault>();
  const path = `/devtools/browser/${randomUUID()}`;
  const clients = new Set<Duplex>();
  const server = createServer();
  let closed = false;
  const failed = (fault: TunnelFault): void => {
    if (closed) return;
    onFault(fault);
    if (fault.isFinal) end(fault);
  };
  // The browser may have been stopped, or only this client has left.
  const ended = (): void => {
    if (!closed) askBrowser(way, 'Browser.getVersion').catch(onlyFault(failed));
  };
  server.on('request', (request, response) => {
    const address = `ws://${addressOf(server)}${path}`;
    void answerDiscovery(way, { request, response, address }).then((fault) => fault !== null && failed(fault));
  });
  server.on('upgrade', (request, client, head) => {
    keep(clients, client);
    const knock = { request, client, head };
    const targetId = pageTarget(request.url);
    if (checkCaller(request) !== null) refuse(client, '403 Forbidden');
    else if (request.url === path) passOn(way, knock, { failed, ended });
    else if (targetId !== null) void openPageSocket(way, { ...knock, targetId }, { failed, ended });
    else refuse(client, '404 Not Found');
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: addressOf(server),
    over,
    async close() {
      closed = true;
      for (const client of clients) client.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function keep(clients: Set<Duplex>, client: Duplex): void {
  clients.add(client);
  client.on('error', () => client.destroy()).once('close', () => clients.delete(client));
}

function onlyFault(tell: (fault: TunnelFault) => void): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof TunnelFault)) throw error;
    tell(error);
  };
}

function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('The tunnel has no port.');
  return `127.0.0.1:${address.port}`;
}
