import { readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describeSelf, detectorPage } from './detector-page.ts';

/** Findings of a page with bot detectors. */
export interface Findings {
  /**
   * Browser properties that the page, its frames and its workers have read, by the name of the reader, such as
   * `worker`.
   */
  readonly places: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Observations of the page's first script. */
  readonly first: { readonly chrome: string; readonly plugins: number; readonly brands: readonly unknown[] };
  /** Names of the failed rules of each detector. */
  readonly botd: readonly string[];
  readonly fpscanner: readonly string[];
  /** Whether each detector has classified the browser as a bot. */
  readonly isBot: { readonly botd: boolean; readonly fpscanner: boolean };
}

/** A web server on loopback with a page that runs bot detectors. */
export interface DetectorServer {
  /** `127.0.0.1:<port>`, as in allow lists. */
  readonly host: string;
  /** URL of the page. */
  readonly address: string;
  /** Waits until a page has posted findings since the last call, and returns them. */
  findings(): Promise<Findings>;
  /** Returns the headers of the latest request for a path. */
  headers(path: string): IncomingHttpHeaders;
  close(): Promise<void>;
}

/**
 * Files of the detectors that are modules for browsers. They are in the same folders as the files that Node would load.
 */
const detectors = [
  { path: '/botd.js', main: import.meta.resolve('@fingerprintjs/botd'), module: 'botd.esm.js' },
  { path: '/fpscanner.js', main: import.meta.resolve('fpscanner'), module: 'fpScanner.es.js' },
] as const;

/** Starts a server of the detector page. It reads both detectors from packages in node_modules. */
export async function serveDetectors(): Promise<DetectorServer> {
  const scripts = new Map<string, string>();
  for (const { path, main, module } of detectors)
    scripts.set(path, await readFile(fileURLToPath(new URL(module, main)), 'utf8'));
  for (const [path, tell] of Object.entries({
    '/worker.js': `fetch('/from-worker').then(describe).then(postMessage)`,
    '/shared.js': `onconnect = ({ ports: [port] }) => describe().then((it) => port.postMessage(it))`,
    '/service.js': `onmessage = ({ ports: [port] }) => describe().then((it) => port.postMessage(it))`,
  }))
    scripts.set(path, `${describeSelf}; ${tell}`);
  const seen = new Map<string, IncomingHttpHeaders>();
  let next = Promise.withResolvers<Findings>();
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    seen.set(path, request.headers);
    if (path === '/findings') void getBody(request).then((text) => next.resolve(JSON.parse(text)));
    const script = scripts.get(path);
    response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript');
    response.setHeader('accept-ch', 'sec-ch-ua-full-version-list, sec-ch-ua-arch');
    response.end(script ?? pages.get(path) ?? '');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new TypeError('The test server has no port.');
  const host = `127.0.0.1:${bound.port}`;
  return {
    host,
    address: `http://${host}/`,
    async findings() {
      const found = await next.promise;
      next = Promise.withResolvers();
      return found;
    },
    headers: (path) => seen.get(path) ?? {},
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const framePage = `<script>${describeSelf}; describe().then((it) => parent.postMessage(it, '*'))</script>`;

/** Pages by path. */
const pages: ReadonlyMap<string, string> = new Map([
  ['/', detectorPage],
  ['/frame', framePage],
]);

async function getBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
