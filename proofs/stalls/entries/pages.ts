import { createServer } from 'node:http';
import type { Draw } from '../../draw.ts';
import type { EntryPoint, WatchedService } from '../watched-service.ts';
import { calling, finishing, sendJson } from '../model-script.ts';
import { openCalls, runTask } from './calls.ts';
import { worstText } from '../worst-texts.ts';

/** Entry points for web pages that the agent opens and reads in a real browser. */
export const pages: readonly EntryPoint[] = [
  {
    name: 'pages that the planner reads',
    service: 'chromium',
    async open(service) {
      const site = await startSite(service);
      const send = openCalls(service);
      return (draw) => {
        site.show(worstPage(draw));
        const task = `Open ${site.address}/a and ${draw.of(readings)}`;
        return runTask(send, 'v4', { task, model: 'gemini-3-flash' });
      };
    },
  },
  {
    name: 'pages that a model is shown',
    service: 'chromium',
    async open(service) {
      const site = await startSite(service);
      const send = openCalls(service);
      return (draw) => {
        site.show(worstPage(draw));
        useModel(service, site.address, draw);
        return runTask(send, 'v4', { task: 'Read the page', model: 'gpt-5.6-luna' });
      };
    },
  },
];

const readings = [
  'tell me the title',
  'list the links',
  'list the headings',
  'list the tables',
  'tell me the text',
  "click 'a'",
  'scroll down',
];

/** Makes the model open the page, read it in a random way, and finish. */
function useModel({ model }: WatchedService, address: string, draw: Draw): void {
  const look = draw.of([
    ['find', '{"text":"a"}'],
    ['look', '{"part":2}'],
    ['screenshot', '{}'],
    ['scroll', '{"direction":"down"}'],
    ['wait', '{"seconds":1}'],
  ]);
  let calls = 0;
  model.use((path, response) => {
    calls += 1;
    if (calls === 1) return sendJson(response, calling(path, 'navigate', JSON.stringify({ url: `${address}/a` })));
    const [name = '', input = ''] = look;
    sendJson(response, calls === 2 ? calling(path, name, input) : finishing(path));
  });
}

/** Starts a web server that answers every path with the page that was last passed to `show`. */
async function startSite(service: WatchedService): Promise<{ readonly address: string; show(page: WorstPage): void }> {
  let shown: WorstPage = { body: 'a' };
  const server = createServer((request, response) => {
    request.resume();
    const { status = 200, headers = {}, body } = shown;
    response.on('error', () => undefined);
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const place = server.address();
  if (place === null || typeof place === 'string') throw new Error('expected a port');
  service.owned.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { address: `http://127.0.0.1:${place.port}`, show: (page) => void (shown = page) };
}

/** Response of a web server: a page, or other content. */
interface WorstPage {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body: string | Buffer;
}

/** Returns a page that is huge, deep or constantly active; sometimes a redirect, many cookies or a download. */
function worstPage(draw: Draw): WorstPage {
  const count = draw.of([1000, 10_000, 50_000]);
  const megabytes = draw.of([1, 4, 16]);
  const unit = worstText(draw, draw.of([20, 200])).replaceAll(/[<&]/g, 'x');
  const ways: readonly (() => string)[] = [
    () => `<title>${'t'.repeat(megabytes * 1e6)}</title>a`,
    () => `<title>a</title>${'<p>'.repeat(count)}${unit}`,
    () => `${'<div>'.repeat(count)}deep`,
    () => `${'<div role=group aria-label=a>'.repeat(Math.min(count, 10_000))}<button>a</button>`,
    () => `<p>${unit.repeat((megabytes * 1e6) / Math.max(1, unit.length))}</p>`,
    () => Array.from({ length: count }, (_one, at) => `<a href="/l/${at}">${unit} ${at}</a>`).join('\n'),
    () => `<a href="/${'x'.repeat(megabytes * 1e6)}">a</a>`,
    () => `<h1>${'h'.repeat(megabytes * 1e6)}</h1>`,
    () => Array.from({ length: count }, (_one, at) => `<h2>${at} ${unit}</h2>`).join(''),
    () => `<table>${`<tr>${'<td>a</td>'.repeat(100)}</tr>`.repeat(count / 100)}</table>`,
    () => `${'<table><tr><td>'.repeat(500)}a`,
    () => '<iframe srcdoc="<p>a</p>"></iframe>'.repeat(Math.min(count, 300)),
    () => '<input type=password value=a>'.repeat(count),
    () => `<input type=password value="${'p'.repeat(megabytes * 1e6)}"><input value="${'q'.repeat(megabytes * 1e6)}">`,
    () => `<select>${`<option>${unit}</option>`.repeat(count)}</select>`,
    () => `<button aria-label="${'b'.repeat(megabytes * 1e6)}">a</button>`,
    () => `<p id=a>a</p>${script(`for (let i = 0; i < 30; i++) alert('x'.repeat(${megabytes * 1e6}))`)}`,
    () => script(`for (let i = 0; i < ${count}; i++) console.log('x'.repeat(1000))`),
    () => script(`console.log('x'.repeat(${megabytes * 1e6})); console.error({a: 'y'.repeat(${megabytes * 1e6})})`),
    () => script(`throw new Error('x'.repeat(${megabytes * 1e6}))`),
    () => script(`for (let i = 0; i < ${count / 10}; i++) fetch('/f' + i).catch(() => 0)`),
    () => script(`fetch('/post', {method: 'POST', body: 'x'.repeat(${megabytes * 1e6})}).catch(() => 0)`),
    () => script(`fetch('data:text/plain,' + 'x'.repeat(${megabytes * 1e6})).catch(() => 0)`),
    () => script(`for (let i = 0; i < 2000; i++) history.pushState({}, '', '/p' + i)`),
    () => script(`history.replaceState({}, '', '/' + 'x'.repeat(${Math.min(megabytes, 2) * 1e6}))`),
    () => script(`for (let i = 0; i < 30; i++) open('about:blank')`),
    () => script(`setInterval(() => { document.title = 'x'.repeat(1e6) + Math.random() }, 10)`),
    () => script(`for (let i = 0; i < 200; i++) new Worker('data:text/javascript,1')`),
    () => script(`for (let i = 0; i < 100; i++) document.cookie = 'c' + i + '=' + 'x'.repeat(4000)`),
    () =>
      script(
        `for (let i = 0; i < 20; i++) { const a = document.createElement('a'); a.href = 'data:application/octet-stream,' + 'x'.repeat(1e6); a.download = 'd' + i + 'x'.repeat(200); a.click() }`,
      ),
    () => script(`const s = new WebSocket('ws://' + location.host); location.hash = 'x'.repeat(${megabytes * 1e6})`),
    () =>
      script(
        `const h = document.body.attachShadow ? document.body : 0; for (let i = 0; i < ${count / 10}; i++) { const d = document.createElement('div'); d.attachShadow({mode: 'open'}).innerHTML = '<button>b</button>'; h.append(d) }`,
      ),
    () => script('while (true) {}'),
  ];
  if (draw.chance(0.08)) return redirect(draw);
  if (draw.chance(0.04))
    return {
      headers: { 'set-cookie': Array.from({ length: 100 }, (_one, at) => `c${at}=${'x'.repeat(2000)}`) },
      body: 'a',
    };
  if (draw.chance(0.04))
    return {
      headers: { 'content-disposition': `attachment; filename="${'a'.repeat(5000)}"` },
      body: Buffer.alloc(5e6),
    };
  return { body: `<!doctype html><body>${draw.of(ways)()}` };
}

function redirect(draw: Draw): WorstPage {
  const location = draw.of([
    '/again',
    `/${'x'.repeat(60_000)}`,
    'data:text/html,a',
    'about:blank',
    'file:///etc/passwd',
    '//',
  ]);
  return { status: 302, headers: { location }, body: '' };
}

function script(text: string): string {
  return `<title>a</title><p>a</p><script>${text}</script>`;
}
