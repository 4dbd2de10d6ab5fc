import { createRoute } from '#conformance/index.ts';
import { type Flags, readNetwork } from '../check/read-flags.ts';
import { exitCodes, waitForSignal } from '../process-end.ts';
import { printError } from '../print.ts';
import { withWaitMessage } from '../with-wait-message.ts';
import { findBrowser, askBrowser } from './find-browser.ts';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { listAnswer, versionAnswer } from '#browsers/gateway/create-gateway.ts';
import { devtoolsDomains } from '#generated/devtools.ts';
import type { JsonObject } from '#lib/json.ts';
import { openPageSocket, pageTarget, checkCaller, passOn, refuse } from './connections.ts';
import { TunnelFault, type BrowserTarget } from './tunnel-fault.ts';

/** Runs `svc tunnel` until a signal, or until its browser was stopped; returns the exit code. */
export async function runTunnel(cdpUrl: string, flags: Flags & { readonly port: number }): Promise<number> {
  const way = await findBrowser(cdpUrl, createRoute(readNetwork(flags)));
  const onFault = (fault: Error): void => printError(`${fault.message}\n`);
  // Installs the signal handlers before the output shows that the tunnel is open: a caller may then send a signal.
  const stopped = waitForSignal().then(() => null);
  const tunnel = await withWaitMessage('starting', () => openTunnel({ ...way, port: flags.port, onFault }));
  console.log(`debuggerAddress ${tunnel.address}`);
  console.log(`listening on http://${tunnel.address}`);
  const fault = await Promise.race([stopped, tunnel.over]);
  await tunnel.close();
  return fault === null ? exitCodes.ok : exitCodes.unreachable;
}

/** Options of {@link openTunnel}. */
export interface TunnelOptions extends BrowserTarget {
  /** Port on 127.0.0.1; 0 selects a free port. */
  readonly port: number;
  /** Called with the reason of a failed connection. */
  readonly onFault: (fault: TunnelFault) => void;
}

/** A local DevTools port for a remote browser. */
export interface Tunnel {
  /** Address `127.0.0.1:<port>`, as chromedriver's debuggerAddress. */
  readonly address: string;
  /** Resolves with the fault when the browser can never be reached again, because it was stopped; never rejects. */
  readonly over: Promise<TunnelFault>;
  /** Closes the tunnel and its connections; the browser continues. */
  close(): Promise<void>;
}

/**
 * Opens a tunnel. Rejects with a TunnelFault when the browser does not respond, and with the operating system error for
 * a port in use.
 */
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
  // Asks the browser for its version after a connection has ended: the browser was stopped, or only this client has
  // disconnected.
  const ended = (): void => {
    if (!closed) askBrowser(way, 'Browser.getVersion').catch(onlyFault(failed));
  };
  server.on('request', (request, response) => {
    const address = `ws://${listeningAddress(server)}${path}`;
    void answerDiscovery(way, { request, response, address }).then((fault) => fault !== null && failed(fault));
  });
  server.on('upgrade', (request, client, head) => {
    keep(clients, client);
    const upgrade = { request, client, head };
    const targetId = pageTarget(request.url);
    if (checkCaller(request) !== null) refuse(client, '403 Forbidden');
    else if (request.url === path) passOn(way, upgrade, { failed, ended });
    else if (targetId !== null) void openPageSocket(way, { ...upgrade, targetId }, { failed, ended });
    else refuse(client, '404 Not Found');
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: listeningAddress(server),
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

function listeningAddress(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('The tunnel has no port.');
  return `127.0.0.1:${address.port}`;
}

/** An HTTP request to the tunnel that is no upgrade, with the local websocket URL of the browser for its response. */
export interface DiscoveryRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly address: string;
}

type Describe = (way: BrowserTarget, address: string) => Promise<JsonObject | JsonObject[]>;

const version: Describe = async (way, address) => versionAnswer(await askBrowser(way, 'Browser.getVersion'), address);
const list: Describe = async (way, address) => {
  const pages = listAnswer(await askBrowser(way, 'Target.getTargets'));
  return pages.map(({ id = '', ...page }) => {
    const { href } = new URL(`/devtools/page/${typeof id === 'string' ? id : ''}`, address);
    return { id, ...page, webSocketDebuggerUrl: href };
  });
};

/** Describes the commands and events of the protocol, from which clients create methods. */
const protocol: Describe = async () => ({
  version: { major: '1', minor: '3' },
  domains: devtoolsDomains.map(({ domain, commands, events }) => ({
    domain,
    commands: commands.map((name) => ({ name })),
    events: events.map((name) => ({ name })),
  })),
});

/**
 * Responses of Chromium's own DevTools port by path. chromedriver needs `/json/version` and `/json/list`,
 * chrome-remote-interface `/json/list` and `/json/protocol`.
 */
const answers: Readonly<Record<string, Describe>> = {
  '/json/version': version,
  '/json/list': list,
  '/json': list,
  '/json/protocol': protocol,
};

/**
 * Answers a GET as Chromium's own DevTools port does; 403 for a client that {@link checkCaller} rejects, 404 for other
 * methods and paths, 502 when the browser cannot be reached. Resolves with the fault of a 502, else null.
 */
async function answerDiscovery(
  way: BrowserTarget,
  { request, response, address }: DiscoveryRequest,
): Promise<TunnelFault | null> {
  const refusal = checkCaller(request);
  if (refusal !== null) return send(response, 403, { error: refusal });
  const describe = request.method === 'GET' ? answers[(request.url ?? '').replace(/\/$/, '')] : undefined;
  if (describe === undefined) return send(response, 404, { error: 'There is no such address.' });
  try {
    return send(response, 200, await describe(way, address));
  } catch (error) {
    if (!(error instanceof TunnelFault)) throw error;
    send(response, 502, { error: error.message });
    return error;
  }
}

function send(response: ServerResponse, status: number, body: JsonObject | JsonObject[]): null {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
  return null;
}
