import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** A request with the run that caused it. Times are in `performance.now()`. */
export interface TracedRequest {
  readonly run: string;
  readonly path: string;
  readonly arrivedAt: number;
  /** Time at which the response ended or its connection was closed; null while the request is pending. */
  closedAt: number | null;
}

/** A slow web server on loopback that records which run caused each request, by the first path segment. */
export interface TracedWeb {
  /** Host and port of the server: `127.0.0.1:<port>`. */
  readonly host: string;
  readonly origin: string;
  readonly requests: readonly TracedRequest[];
  close(): Promise<void>;
}

/** Starts the server on a free port. */
export async function startTracedWeb(): Promise<TracedWeb> {
  const requests: TracedRequest[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const [, run = '', kind = ''] = url.pathname.split('/');
    const traced: TracedRequest = {
      run,
      path: url.pathname + url.search,
      arrivedAt: performance.now(),
      closedAt: null,
    };
    requests.push(traced);
    response.once('close', () => void (traced.closedAt = performance.now()));
    void answer(response, request, { run, kind, wait: Number(url.searchParams.get('ms') ?? 0) });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a port');
  const host = `127.0.0.1:${address.port}`;
  return {
    host,
    origin: `http://${host}`,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Asked {
  readonly run: string;
  readonly kind: string;
  /** Milliseconds before the response. For a file, a quarter of this time is the pause after each part. */
  readonly wait: number;
}

async function answer(response: ServerResponse, request: IncomingMessage, { run, kind, wait }: Asked): Promise<void> {
  request.resume();
  if (kind === 'file') return sendFile(response, wait);
  await delay(wait);
  if (response.destroyed) return;
  const next = /^hop(\d)$/.exec(kind)?.[1];
  if (next !== undefined && next !== '0') {
    response.writeHead(302, { location: `/${run}/hop${Number(next) - 1}?ms=${wait}` });
    response.end();
    return;
  }
  response.writeHead(kind === 'favicon.ico' ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(kind === 'work' ? workPage(run, wait) : kind === 'mark' ? markPage(run) : slowPage(run));
}

/**
 * Size of a part. From a cancelled response, Chromium still reads up to 16 KiB, for at most 5 s, in order to reuse its
 * connection (`net/http/http_response_body_drainer.h`). Reading a whole part would look like a pending request, so a
 * part is larger.
 */
const partBytes = 20_000;

/** Sends a file in 20 slow parts. */
async function sendFile(response: ServerResponse, wait: number): Promise<void> {
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-disposition': 'attachment; filename="slow.bin"',
  });
  for (let part = 0; part < 20 && !response.destroyed; part += 1) {
    response.write('x'.repeat(partBytes));
    await delay(wait / 4);
  }
  response.end();
}

function slowPage(run: string): string {
  return `<!doctype html><title>slow ${run}</title><h1>Slow</h1><script>alert('arrived')</script>`;
}

/**
 * Returns a page whose links and buttons start slow requests, redirects, a download, dialogs, a busy script or a form
 * submission.
 */
function workPage(run: string, wait: number): string {
  const slow = `/${run}/slow?ms=${wait + 400}`;
  return `<!doctype html><title>work ${run}</title>
<a href="${slow}">Leave</a> <a href="/${run}/hop3?ms=300">Hop</a> <a href="${slow}" target="_blank">Window</a>
<a href="/${run}/file?ms=400">File</a> <button onclick="alert('a')">Ask</button>
<button onclick="confirm('a') ; location.href = '${slow}'">Confirm</button>
<button onclick="for (const end = Date.now() + 700; Date.now() < end;);">Busy</button>
<form action="/${run}/slow"><input type="hidden" name="ms" value="${wait + 400}">
<label>Name <input name="n"></label> <button>Send</button></form>`;
}

/** Returns a page that counts the input events it receives. */
function markPage(run: string): string {
  return `<!doctype html><title>mark ${run}</title><p id="seen">events 0</p><label>Name <input></label><script>
let events = 0;
for (const type of ['keydown', 'keyup', 'beforeinput', 'mousedown', 'mouseup', 'click', 'submit'])
  addEventListener(type, () => { events += 1; document.getElementById('seen').textContent = 'events ' + events; }, true);
</script>`;
}
