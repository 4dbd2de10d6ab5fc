import type { Draw } from '../draw.ts';
import { worstText } from './worst-texts.ts';

/** Response of a web server: a page, or other content. */
export interface WorstPage {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body: string | Buffer;
}

/** Returns a page that is huge, deep, or constantly active. */
export function worstPage(draw: Draw): WorstPage {
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
