import { once } from 'node:events';
import { createServer } from 'node:http';

/** The server of a page that reads the location of its browser through every available API. */
export interface PlaceServer {
  readonly port: number;
  /** Returns the Accept-Language headers of all requests. */
  languages(): readonly string[];
  close(): Promise<void>;
}

/** Script that reads languages, number format, time zone and hour. */
const look = `[navigator.language, navigator.languages.join(), Intl.NumberFormat().resolvedOptions().locale,
  Intl.DateTimeFormat().resolvedOptions().timeZone, new Date(0).getHours()].join(' ')`;

const page = `<title>looking</title><script type="module">
  const answer = (target) => new Promise((resolve) => target.addEventListener('message', ({ data }) => resolve(data), { once: true }));
  const position = new Promise((resolve) => navigator.geolocation.getCurrentPosition(
    ({ coords }) => resolve(coords.latitude + ' ' + coords.longitude), ({ code }) => resolve('error ' + code)));
  const worker = new Worker('/worker.js');
  const inWorker = await answer(worker);
  await navigator.serviceWorker.register('/service-worker.js');
  navigator.serviceWorker.startMessages();
  (await navigator.serviceWorker.ready).active.postMessage('look');
  const inServiceWorker = await answer(navigator.serviceWorker);
  const inFrame = answer(window);
  const frame = document.createElement('iframe');
  frame.src = location.href.replace('localhost', '127.0.0.1').replace('/place', '/frame');
  document.body.append(frame);
  window.seen = { page: ${look}, worker: inWorker, serviceWorker: inServiceWorker, frame: await inFrame, position: await position };
</script>`;

const answers: Readonly<Record<string, readonly [type: string, content: string]>> = {
  '/place': ['text/html', page],
  '/frame': ['text/html', `<script>parent.postMessage(${look}, '*')</script>`],
  '/worker.js': ['text/javascript', `postMessage(${look})`],
  '/service-worker.js': ['text/javascript', `onmessage = ({ source }) => source.postMessage(${look})`],
};

/**
 * Serves the page at `/place` on a free loopback port. Tests open it as localhost, where pages may register workers.
 */
export async function servePlace(): Promise<PlaceServer> {
  const languages: string[] = [];
  const server = createServer((request, response) => {
    languages.push(request.headers['accept-language'] ?? '');
    const [type, content] = answers[request.url ?? ''] ?? ['text/html', '<title>empty</title>'];
    response.writeHead(200, { 'content-type': type }).end(content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('The test server has no port.');
  return {
    port: address.port,
    languages: () => languages,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
