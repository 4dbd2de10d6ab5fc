import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { type EscapeTechnique, escapeTechniques } from './escape-techniques.ts';

/** Origins of the test servers for escape techniques. All hosts resolve to loopback. */
export interface EscapeSites {
  /** Origin of the allowed host. */
  readonly allowed: string;
  /** Origin of a second allowed host, of another site. */
  readonly friend: string;
  /** Origin of a forbidden host of another site. */
  readonly cross: string;
  /** Origin of a forbidden host of the same site as the allowed host. */
  readonly sibling: string;
  /** Origin of a forbidden subdomain of the allowed host. */
  readonly child: string;
  /** Origin of the allowed host at a forbidden port. */
  readonly otherPort: string;
  /** Port of all origins except `otherPort`. */
  readonly port: number;
}

/** Server of test pages that records requests for forbidden documents. */
export interface EscapeServer {
  readonly sites: EscapeSites;
  /** `127.0.0.1:<port>` for both ports of the server, in the form of an allow list. */
  readonly hosts: readonly string[];
  /** Returns the URL of the page that tries an escape technique. `run` is a name that distinguishes attempts. */
  page(run: string, technique: EscapeTechnique): string;
  /** Returns how often the attempt `run` of a technique has fetched its forbidden document. */
  asked(run: string, technique: EscapeTechnique): number;
  close(): Promise<void>;
}

const html = { 'content-type': 'text/html; charset=utf-8' };
/** Response headers that allow a page of another origin of the same site to prerender the response. */
const consent = { 'supports-loading-mode': 'credentialed-prerender', 'access-control-allow-origin': '*' };
/** Script that clicks the first link or button with the text `Go`. */
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

/** A parsed request. */
interface Asked {
  readonly run: string;
  readonly index: string;
  /** Whether the host of the request is allowed. */
  readonly isAllowed: boolean;
  readonly query: (name: string) => string;
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

type Route = (asked: Asked) => Answer;

const noStore = { 'cache-control': 'no-store' };
const to = ({ query }: Asked): string => query('to');
const ruleList = (kinds: readonly string[], url: string): string =>
  JSON.stringify(Object.fromEntries(kinds.map((kind) => [kind, [{ urls: [url], eagerness: 'immediate' }]])));

/** Routes by the first segment of the path. Any other path returns a plain page. */
const routes: Readonly<Record<string, Route>> = {
  away: (asked) => ({ status: Number(asked.run), headers: { location: to(asked) } }),
  refresh: (asked) => ({ headers: { refresh: `0; url=${to(asked)}` } }),
  rules: (asked) => ({
    headers: { 'content-type': 'application/speculationrules+json' },
    body: ruleList([asked.query('kind')], to(asked)),
  }),
  speculate: (asked) => ({
    body: `<script type="speculationrules">${ruleList(['prefetch', 'prerender'], to(asked))}</script><a href="${to(asked)}">Go</a>`,
  }),
  run: ({ query }) => ({ body: `<script>${query('code')}</script>` }),
  'worker.js': () => ({ headers: { 'content-type': 'text/javascript' }, body: worker }),
};

/**
 * Creates a route that first returns a page which navigates to another page and back. Redirects later requests with the
 * same query parameter `to` to the URL in this parameter.
 */
function redirectsLater(): Route {
  const seen = new Set<string>();
  return (asked) => {
    if (seen.has(to(asked))) return { status: 302, headers: { ...noStore, location: to(asked) } };
    seen.add(to(asked));
    const back = encodeURIComponent('setTimeout(() => history.back(), 100)');
    return { headers: noStore, body: `<script>setTimeout(() => { location = '/run?code=${back}' }, 100)</script>` };
  };
}

/**
 * Starts servers on two free loopback ports. They serve a page for each escape technique, and the forbidden documents
 * that these pages try to load.
 */
export async function serveEscapes(): Promise<EscapeServer> {
  const brought: string[] = [];
  const forbidden: Route = ({ run, index }) => {
    brought.push(`${run}/${index}`);
    return { body: '<title>Forbidden</title>' };
  };
  const attempt: Route = (asked) => {
    const technique = escapeTechniques[Number(asked.index)];
    // A page can keep its path and change only its host.
    if (!asked.isAllowed) return forbidden(asked);
    if (technique === undefined) return { status: 404 };
    const url = getAddress(technique, asked.run);
    return { headers: technique.headers?.(url) ?? {}, body: technique.page(url, sites) + clicksGo };
  };
  const all: Readonly<Record<string, Route>> = { ...routes, once: redirectsLater(), t: attempt, x: forbidden };
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? '/', 'http://any');
    const [, first = '', run = '', index = ''] = url.pathname.split('/');
    const isAllowed = [sites.allowed, sites.friend].includes(`http://${request.headers.host}`);
    const route = all[first] ?? ((): Answer => ({ body: 'Plain' }));
    const {
      status = 200,
      headers,
      body = '',
    } = route({
      run,
      index,
      isAllowed,
      query: (name) => url.searchParams.get(name) ?? '',
    });
    response.writeHead(status, { ...html, ...consent, ...headers });
    response.end(first === 'worker.js' || first === 'rules' ? body : `<!doctype html><body>${body}`);
  };
  const servers = [createServer(handle), createServer(handle)];
  const [port = 0, other = 0] = await Promise.all(servers.map(listen));
  const sites = sitesAt(port, other);
  const getKey = (run: string, technique: EscapeTechnique): string => `${run}/${escapeTechniques.indexOf(technique)}`;
  const getAddress = (technique: EscapeTechnique, run: string): string => {
    const path = `/x/${getKey(run, technique)}`;
    return technique.at?.(path, sites) ?? sites.cross + path;
  };
  return {
    sites,
    hosts: [port, other].map((each) => `127.0.0.1:${each}`),
    page: (run, technique) => `${sites.allowed}/t/${getKey(run, technique)}`,
    asked: (run, technique) => brought.filter((key) => key === getKey(run, technique)).length,
    async close() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      }
    },
  };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('The test server has no port.');
  return address.port;
}

/**
 * Returns the origins of the servers. Their hosts resolve to loopback, where Chromium allows service workers and
 * prefetches without TLS.
 */
function sitesAt(port: number, other: number): EscapeSites {
  return {
    allowed: `http://www.app.localhost:${port}`,
    friend: `http://friend.localhost:${port}`,
    cross: `http://cross.localhost:${port}`,
    sibling: `http://side.app.localhost:${port}`,
    child: `http://below.www.app.localhost:${port}`,
    otherPort: `http://www.app.localhost:${other}`,
    port,
  };
}
