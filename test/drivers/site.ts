import { once } from 'node:events';
import { createServer } from 'node:http';

/** Fixture pages for the script that all drivers run. One page contains a frame of a second site. */
export interface Site {
  /** `http://127.0.0.1:<port>`. */
  readonly origin: string;
  /** `127.0.0.1:<port>`, which the service must allow. */
  readonly host: string;
  close(): Promise<void>;
}

/**
 * Serves the pages of {@link Site} on a free loopback port. The page "desk" contains a frame from `localhost`, which is
 * another site. The page `/loading` does not finish loading until `/release` is requested.
 */
export async function startSite(): Promise<Site> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const server = createServer(({ url }, response) => {
    if (url === '/release') release();
    if (url === '/held') return void released.then(() => response.end());
    if (url === '/report') {
      response.setHeader('content-disposition', 'attachment; filename="report.csv"');
      return response.end('a,b\n1,2\n');
    }
    const page = pages(port())[url ?? ''];
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
    return response.end(page ?? 'not found');
  });
  const port = (): number => {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new TypeError('The site has no port.');
    return address.port;
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${port()}`,
    host: `127.0.0.1:${port()}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function pages(port: number): Readonly<Record<string, string>> {
  return {
    '/': `<!doctype html><title>Desk</title><h1>Desk</h1>
<button id="count" onclick="clicks.textContent = Number(clicks.textContent) + 1">Count</button><output id="clicks">0</output>
<input id="name"><select id="colour"><option value="red">Red</option><option value="green">Green</option></select>
<button id="ask" onclick="said.textContent = prompt('Name?')">Ask</button><output id="said"></output>
<iframe id="inner" src="http://localhost:${port}/frame"></iframe>
<div id="host"></div><output id="shadow"></output>
<input type="file" id="file" onchange="take(this.files[0])"><output id="uploaded"></output>
<a id="download" href="/report">Report</a>
<input id="keys" onkeydown="key.textContent = event.key"><output id="key"></output>
<button id="menu" onmouseenter="pointed.textContent = 'pointed'">Menu</button><output id="pointed"></output>
<button id="later" onclick="setTimeout(() => { news.textContent = 'it came'; }, 50)">Later</button><output id="news"></output>
<a id="next" href="/next">Next</a>
<p id="bottom" style="margin-top: 4000px">Bottom</p>
<script>
  document.getElementById('host').attachShadow({ mode: 'open' }).innerHTML = '<button id="deep">Deep</button>';
  host.shadowRoot.getElementById('deep').onclick = () => { shadow.textContent = 'reached'; };
  async function take(file) {
    uploaded.textContent = file.name + ': ' + file.size + ' bytes: ' + await file.text();
  }
</script>`,
    '/frame': `<!doctype html><title>Frame</title><button id="press" onclick="pressed.textContent = 'pressed'">Press</button><output id="pressed"></output>`,
    '/other': '<!doctype html><title>Other</title><h1>Other</h1>',
    '/next': '<!doctype html><title>Next</title><h1>Next</h1>',
    '/search': `<!doctype html><title>Documentation</title><input id="field" aria-label="Search" hidden><div id="results"></div>
<script>
  onkeydown = ({ key }) => { if (key === '/') field.hidden = false; };
  field.oninput = () => { results.innerHTML = '<a class="devsite-result-item-link" href="/post">' + field.value + '</a>'; };
</script>`,
    '/release': '',
    '/loading': '<!doctype html><title>Loading</title><img src="/held">',
    '/post': '<!doctype html><title>Post</title><h1>Customize and automate user flows</h1>',
  };
}
