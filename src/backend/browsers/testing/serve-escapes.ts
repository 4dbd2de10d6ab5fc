import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { type EscapeTechnique, escapeTechniques } from './escape-techniques.ts';

/** Origins of a server whose hosts all lead to loopback. */
export interface EscapeSites {
  /** The host that pages may come from. */
  readonly allowed: string;
  /** A second one, of another site. */
  readonly friend: string;
  /** A forbidden host of another site. */
  readonly cross: string;
  /** A forbidden host beside the allowed one, of the same site. */
  readonly sibling: string;
  /** A forbidden host below the allowed one. */
  readonly child: string;
  /** The allowed host at a forbidden port. */
  readonly otherPort: string;
  /** The port of all of them but `otherPort`. */
  readonly port: number;
}

/** A server that keeps what it was asked for. */
export interface EscapeServer {
  readonly sites: EscapeSites;
  /** `127.0.0.1:<port>` of both ports, as they stand in allow lists. */
  readonly hosts: readonly string[];
  /** The address of the page that tries a technique. */
  page(run: string, technique: EscapeTechnique): string;
  /** Forbidden documents that were asked for, `<run>/<number of the technique>` each. */
  asked(run: string, technique: EscapeTechnique): number;
  close(): Promise<void>;
}

const html = { 'content-type': 'text/html; charset=utf-8' };
/** Lets a page of another origin of the same site be prerendered. */
const consent = { 'supports-loading-mode': 'credentialed-prerender', 'access-control-allow-origin': '*' };
/** Clicks what a page wants to have clicked. */
const clicksGo = `<script>addEventListener('load', () => {
  Array.from(document.querySelectorAll('a, button')).find(({ textContent }) => textContent === 'Go')?.click();
})</script>`;
const worker = `
addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  if (url.pathname === '/by-worker') event.respondWith(Response.redirect(url.searchParams.get('to')));
});
addEventListener('message', ({ data, source }) => {
  if (data.open) clients.openWindow(data.open).catch(() => 0);
  else clients.claim().then(() => clients.get(source.id)).then((client) => client.navigate(data.navigate)).catch(() => 0);
});`;

/** Serves the pages of all techniques, and the forbidden documents that they lead to, on two free ports of loopback. */
export async function serveEscapes(): Promise<EscapeServer> {
  const asked: string[] = [];
  const once302 = new Set<string>();
  const handle = (request: IncomingMessage, response: ServerResponse): unknown => {
    const url = new URL(request.url ?? '/', 'http://any');
    const [, kind = '', run = '', index = ''] = url.pathname.split('/');
    const to = url.searchParams.get('to') ?? '';
    const page = (body: string, headers = {}): unknown =>
      response.writeHead(200, { ...html, ...consent, ...headers }).end(`<!doctype html><body>${body}`);
    const isAllowed = [sites.allowed, sites.friend].includes(`http://${request.headers.host}`);
    if (kind === 'x' || (kind === 't' && !isAllowed)) {
      asked.push(`${run}/${index}`);
      return page('<title>Forbidden</title>');
    }
    if (kind === 't') {
      const technique = escapeTechniques[Number(index)];
      if (technique === undefined) return response.writeHead(404).end();
      const forbidden = addressOf(technique, run);
      return page(technique.page(forbidden, sites) + clicksGo, technique.headers?.(forbidden));
    }
    if (kind === 'away') return response.writeHead(Number(run), { location: to, ...consent }).end();
    if (kind === 'once') {
      if (once302.has(to)) return response.writeHead(302, { location: to, 'cache-control': 'no-store' }).end();
      once302.add(to);
      const code = encodeURIComponent('setTimeout(() => history.back(), 100)');
      return page(`<script>setTimeout(() => { location = '/run?code=${code}' }, 100)</script>`, {
        'cache-control': 'no-store',
      });
    }
    if (kind === 'refresh') return page('Refresh', { refresh: `0; url=${to}` });
    if (kind === 'rules') {
      const list = { [url.searchParams.get('kind') ?? '']: [{ urls: [to], eagerness: 'immediate' }] };
      return response
        .writeHead(200, { 'content-type': 'application/speculationrules+json', ...consent })
        .end(JSON.stringify(list));
    }
    if (kind === 'speculate') {
      const list = JSON.stringify({ prefetch: [{ urls: [to] }], prerender: [{ urls: [to] }] });
      return page(`<script type="speculationrules">${list}</script><a href="${to}">Go</a>`);
    }
    if (kind === 'run') return page(`<script>${url.searchParams.get('code') ?? ''}</script>`);
    if (kind === 'worker.js') return response.writeHead(200, { 'content-type': 'text/javascript' }).end(worker);
    return page('Plain');
  };
  const servers = [createServer(handle), createServer(handle)];
  const ports = await Promise.all(
    servers.map(async (server) => {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      if (address === null || typeof address === 'string') throw new TypeError('The test server has no port.');
      return address.port;
    }),
  );
  const [port = 0, other = 0] = ports;
  const sites: EscapeSites = {
    allowed: `http://www.app.localhost:${port}`,
    friend: `http://friend.localhost:${port}`,
    cross: `http://cross.localhost:${port}`,
    sibling: `http://side.app.localhost:${port}`,
    child: `http://below.www.app.localhost:${port}`,
    otherPort: `http://www.app.localhost:${other}`,
    port,
  };
  const addressOf = (technique: EscapeTechnique, run: string): string => {
    const path = `/x/${run}/${escapeTechniques.indexOf(technique)}`;
    return technique.at?.(path, sites) ?? sites.cross + path;
  };
  return {
    sites,
    hosts: ports.map((each) => `127.0.0.1:${each}`),
    page: (run, technique) => `${sites.allowed}/t/${run}/${escapeTechniques.indexOf(technique)}`,
    asked: (run, technique) => {
      const wanted = `${run}/${escapeTechniques.indexOf(technique)}`;
      return asked.filter((one) => one === wanted).length;
    },
    async close() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      }
    },
  };
}
