import { createServer } from 'node:http';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Tab, TabError } from './tab.ts';
import type { HostedBrowser } from '../host.ts';
import { createLocalHost, type LocalHost } from '../local-host.ts';
import { probeOnce } from '../testing/probe-once.ts';
import { createRecordingLog } from '../testing/recording-log.ts';
import { type FileServer, serveFiles } from '../testing/serve-files.ts';
import { type PageServer, servePages } from '../testing/serve-pages.ts';

/** Server of another site, for frames. */
const other = createServer((_request, response) =>
  response
    .writeHead(200, { 'content-type': 'text/html' })
    .end('<title>Other</title><label>Card <input></label><button onclick="this.textContent=\'Paid\'">Pay</button>'),
);

let directory: string;
let server: PageServer;
let files: FileServer;
let host: LocalHost;
let browser: HostedBrowser;
let tab: Tab;

function getPort(): number {
  const address = other.address();
  if (address === null || typeof address === 'string') throw new TypeError('no port');
  return address.port;
}

function pages(fileAddress: string): Record<string, string> {
  return {
    '/': `<title>Form</title><h1>All of it</h1>
      <button onclick="this.textContent='Clicked'">Plain</button>
      <button ondblclick="this.textContent='Twice'">Double</button>
      <div onmouseenter="this.textContent='Hovered'" role="button">Menu</div>
      <label>Name <input value="Bob" oninput="document.title=this.value"></label>
      <label>Password <input type="password" value="correct: horse"></label>
      <label>Fruit <select><option value="a">Apple<option value="p" selected>Pear</select></label>
      <label><input type="checkbox" checked> News</label><label><input type="checkbox" disabled> Off</label>
      <form action="/sent"><label>Search <input name="q"></label></form>
      <table><caption>Prices</caption><tr><th>Name<th>Price<tr><td>Fig<td>2.50</table>
      <a href="/more">More</a> <a href="/more" target="_blank">Window</a> <a href="${fileAddress}">Get it</a>
      <my-box></my-box>
      <script>customElements.define('my-box', class extends HTMLElement { constructor() { super();
        this.attachShadow({ mode: 'open' }).innerHTML = '<button onclick="this.textContent=\\'Shaded\\'">In shadow</button>'; } })</script>`,
    '/busy': '<title>Busy</title><script>setTimeout(() => { for (;;); }, 200)</script>',
    '/sent': '<title>Sent</title><h1>Thanks</h1>',
    '/more': '<title>More</title><h1>About</h1>',
    '/frames': `<title>Frames</title><iframe srcdoc="<button onclick='this.textContent=&quot;Inside&quot;'>Here</button><input aria-label='Own'>"></iframe>
      <iframe src="http://127.0.0.2:${getPort()}/"></iframe>`,
    '/dialogs': `<title>Dialogs</title><button onclick="alert('Hello')">Alert</button>
      <button onclick="document.title = String(confirm('Sure?'))">Confirm</button>
      <button onclick="document.title = String(prompt('Who?', 'nobody'))">Prompt</button>`,
    '/files': `<title>Files</title><label>One <input type="file" onchange="show(this)"></label>
      <input type="file" id="hidden" hidden onchange="show(this)"><button onclick="document.getElementById('hidden').click()">Choose</button>
      <script>async function show(input) { document.title = input.files[0].name + ': ' + await input.files[0].text(); }</script>`,
    '/scroll': `<title>0</title><div id="box" style="height:100px;overflow:auto"><p style="height:500px">Inner</p></div>
      <p style="height:5000px">Tall</p><script>
      const tell = () => { document.title = [scrollY > 0, document.getElementById('box').scrollTop > 0].join(); };
      document.addEventListener('scroll', tell, { capture: true });</script>`,
    '/blocked': `<title>Blocked</title><button>Under</button><button disabled>Never</button>
      <label>Code <input readonly value="4711"></label><label>Fruit <select><option>Apple</select></label>
      <div style="position:fixed;inset:0;background:white">Please wait</div>`,
    '/later': `<title>Later</title><button onclick="setTimeout(() => { const p = document.createElement('p'); p.textContent = 'Arrived'; document.body.append(p); })">Load</button>
      <p id="busy">Loading</p><button onclick="setTimeout(() => document.getElementById('busy').remove())">Settle</button>`,
    '/odd': `<title>Odd labels</title>
      ${['Password: new', 'PIN #2', 'Key {old}', "It's: mine"].map((label, at) => `<label>${label} <input type="password" value="odd-${at}"></label>`).join('')}
      <label>Pass phrase <input type="password" value="odd-4" placeholder="At least 8"></label>
      <label>Token <input type="password" value="${'odd-5'.repeat(600)}"></label>`,
    '/passwords': `<title>Passwords</title><my-lock></my-lock>${Array.from({ length: 12 }, (_frame, at) => `<iframe srcdoc="<input type=password value=open-frame-${at}>"></iframe>`).join('')}
      <script>customElements.define('my-lock', class extends HTMLElement { constructor() { super();
        const inner = document.createElement('div');
        inner.attachShadow({ mode: 'open' }).innerHTML = '<input type="password" aria-label="Deep" value="open-sesame">';
        this.attachShadow({ mode: 'open' }).append(inner); } })</script>`,
    '/canvas': '<title>Canvas</title><canvas width="50" height="50"></canvas>',
  };
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-elements-'));
  other.listen(0, '127.0.0.2');
  await once(other, 'listening');
  files = await serveFiles();
  server = await servePages(pages(files.file('prices.csv', 'fig,2.50')));
  const allow = [server.host, files.host, `127.0.0.2:${getPort()}`];
  host = await createLocalHost({ directory, log: createRecordingLog(), allow, probe: probeOnce });
  const downloads = { fileBytesMax: 10_000, bytesMax: 10_000, filesMax: 10 };
  const screen = { width: 800, height: 600 };
  browser = await host.launch({ sessionId: 'elements', screen, proxyCountryCode: null, downloads });
  tab = await browser.tab();
});
afterAll(async () => {
  await host.close();
  await server.close();
  await files.close();
  other.closeAllConnections();
  other.close();
  await rm(directory, { recursive: true });
});
beforeEach(async () => {
  const [, ...more] = await tab.tabs.list();
  for (const { number } of more.toReversed()) await tab.tabs.close(number);
});

async function show(path: string): Promise<string> {
  await tab.open(`${server.origin}${path}`);
  return (await tab.snapshot()).outline;
}

/** Returns the element reference in the first line of the page outline that contains these words. */
async function getRef(words: string): Promise<string> {
  const { outline } = await tab.snapshot();
  const line = outline.split('\n').find((one) => one.includes(words));
  const ref = /\[ref=(\w+)\]/.exec(line ?? '')?.[1];
  if (ref === undefined) throw new Error(`no "${words}" in\n${outline}`);
  return ref;
}

describe('an outline', () => {
  test('shows names, values, states, tables and what is in shadow roots, but no password', async () => {
    const outline = await show('/');
    expect(outline).toContain('textbox "Name"');
    expect(outline).toMatch(/textbox "Name" \[ref=\w+\]: Bob/);
    expect(outline).toMatch(/textbox "Password" \[ref=\w+\]: \(hidden\)/);
    expect(outline).not.toContain('horse');
    expect(outline).toMatch(/checkbox "News" \[checked\]/);
    expect(outline).toMatch(/checkbox "Off" \[disabled\]/);
    expect(outline).toMatch(/option "Pear" \[selected\]/);
    expect(outline).toContain('button "In shadow"');
    expect(outline).toContain('cell "2.50"');
    expect(outline).toContain('/url: /more');
  });

  test('shows no password of a field with an odd label or a placeholder, and no long one', async () => {
    const outline = await show('/odd');
    expect(outline).not.toContain('odd-');
    expect(outline.match(/: \(hidden\)$/gm)).toHaveLength(6);
  });

  test('shows no password of a shadow root in a shadow root, and of no frame of many', async () => {
    const outline = await show('/passwords');
    expect(outline).toMatch(/textbox "Deep" \[ref=\w+\]: \(hidden\)/);
    expect(outline.match(/\(hidden\)/g)).toHaveLength(13);
    expect(outline).not.toContain('open-');
  });

  test('shows frames, of other origins too', async () => {
    const outline = await show('/frames');
    expect(outline).toContain('button "Here"');
    expect(outline).toContain('button "Pay"');
  });
});

describe('by reference', () => {
  beforeEach(() => show('/'));

  test.each([
    ['button "Plain"', 'Clicked', 1],
    ['button "Double"', 'Twice', 2],
    ['button "In shadow"', 'Shaded', 1],
  ] as const)('clicks %s', async (name, want, count) => {
    await tab.elements.click(await getRef(name), count);
    expect((await tab.snapshot()).outline).toContain(`button "${want}"`);
  });

  test('points, types, selects, checks, presses and reads', async () => {
    await tab.elements.hover(await getRef('button "Menu"'));
    expect((await tab.snapshot()).outline).toContain('Hovered');
    const name = await getRef('textbox "Name"');
    await tab.elements.type(name, 'Alice');
    expect(await tab.elements.text(name)).toBe('Alice');
    expect(await tab.title()).toBe('Alice');
    await tab.elements.select(await getRef('combobox "Fruit"'), ['Apple']);
    expect((await tab.snapshot()).outline).toMatch(/option "Apple" \[selected\]/);
    expect(await tab.elements.text(await getRef('combobox "Fruit"'))).toBe('Apple');
    await tab.elements.check(await getRef('checkbox "News"'), false);
    expect((await tab.snapshot()).outline).not.toMatch(/checkbox "News" \[checked\]/);
    expect(await tab.elements.text(await getRef('textbox "Password"'))).toBe('');
    expect(await tab.elements.text(await getRef('table "Prices"'))).toContain('Fig');
    const search = await getRef('textbox "Search"');
    await tab.elements.type(search, 'figs');
    await tab.elements.press(search, 'Enter');
    expect(await tab.url()).toBe(`${server.origin}/sent?q=figs`);
    await tab.back();
    expect(await tab.title()).toBe('Form');
  });

  test('a text that is bound to places is typed only there', async () => {
    const name = await getRef('textbox "Name"');
    const asked: string[] = [];
    const never = (address: string): boolean => {
      asked.push(address);
      return false;
    };
    await expect(tab.elements.type(name, 'secret', never)).rejects.toThrow('may not be typed');
    expect(asked).toEqual([`${server.origin}/`]);
    expect(await tab.elements.text(name)).toBe('Bob');
  });

  test('what is not there is said at once', async () => {
    await expect(tab.elements.click('e999')).rejects.toThrow('There is no element e999 on the page any more');
    await expect(tab.elements.click('f999e1')).rejects.toThrow('There is no element f999e1');
    await expect(tab.elements.click('css=button')).rejects.toBeInstanceOf(TabError);
    const more = await getRef('link "More"');
    await tab.elements.click(more);
    await expect(tab.elements.click(more)).rejects.toThrow('There is no element');
    await expect(tab.elements.press('e999', 'Enter')).rejects.toBeInstanceOf(TabError);
  });

  test('what cannot be done is said with the reason', async () => {
    await show('/blocked');
    const { elements } = tab;
    const [under, never, code, fruit] = await Promise.all(
      ['button "Under"', 'button "Never"', 'textbox "Code"', 'combobox "Fruit"'].map(getRef),
    );
    await Promise.all([
      expect(elements.click(under ?? '')).rejects.toThrow('another element covers it'),
      expect(elements.click(never ?? '')).rejects.toThrow('it is disabled'),
      expect(elements.type(code ?? '', 'x')).rejects.toThrow('it cannot be edited'),
      expect(elements.select(fruit ?? '', ['Kiwi'])).rejects.toThrow('it has no such option'),
      expect(elements.press(fruit ?? '', 'Nope')).rejects.toThrow(/Unknown key/),
    ]);
  });
});

describe('frames', () => {
  beforeEach(() => show('/frames'));

  test('their elements are worked on as any other', async () => {
    await tab.elements.click(await getRef('button "Here"'));
    await tab.elements.click(await getRef('button "Pay"'));
    const { outline } = await tab.snapshot();
    expect(outline).toContain('button "Inside"');
    expect(outline).toContain('button "Paid"');
  });

  test('a place is that of the frame, and of the page around a frame without an address', async () => {
    const asked: string[] = [];
    const note = (address: string): boolean => asked.push(address) > 0;
    await tab.elements.type(await getRef('textbox "Card"'), '1', note);
    await tab.elements.type(await getRef('textbox "Own"'), '1', note);
    expect(asked).toEqual([`http://127.0.0.2:${getPort()}/`, `${server.origin}/frames`]);
  });
});

test('tabs are listed, shown, opened and closed', async () => {
  await show('/');
  await tab.elements.click(await getRef('link "Window"'));
  expect((await tab.tabs.list()).map(({ title, isFront }) => [title, isFront])).toEqual([
    ['Form', false],
    ['More', true],
  ]);
  await tab.tabs.show(1);
  expect(await tab.title()).toBe('Form');
  expect((await tab.tabs.list()).map(({ title }) => title)).toEqual(['More', 'Form']);
  await tab.tabs.close(2);
  expect(await tab.title()).toBe('More');
  await tab.tabs.add();
  expect(await tab.url()).toBe('about:blank');
  await expect(tab.tabs.show(9)).rejects.toThrow('There is no tab 9: there are 2.');
});

test('tabs are listed at once, without the title of one that does not answer', async () => {
  await tab.open(`${server.origin}/busy`);
  await new Promise((done) => void setTimeout(done, 500));
  await tab.tabs.add();
  await show('/more');
  const since = performance.now();
  expect((await tab.tabs.list()).map(({ url, title }) => [new URL(url).pathname, title])).toEqual([
    ['/busy', ''],
    ['/more', 'More'],
  ]);
  expect(performance.now() - since).toBeLessThan(10_000);
  await tab.tabs.close(1);
});

test('dialogs are dismissed and told of, or answered as was said before', async () => {
  await show('/dialogs');
  await tab.dialogs.seen();
  await tab.elements.click(await getRef('button "Alert"'));
  await tab.elements.click(await getRef('button "Confirm"'));
  expect(await tab.title()).toBe('false');
  await tab.dialogs.answerNext({ accept: true, text: '' });
  await tab.elements.click(await getRef('button "Confirm"'));
  expect(await tab.title()).toBe('true');
  await tab.dialogs.answerNext({ accept: true, text: 'Alice' });
  await tab.elements.click(await getRef('button "Prompt"'));
  expect(await tab.title()).toBe('Alice');
  expect(await tab.dialogs.seen()).toEqual([
    { kind: 'alert', message: 'Hello', answer: 'dismissed' },
    { kind: 'confirm', message: 'Sure?', answer: 'dismissed' },
    { kind: 'confirm', message: 'Sure?', answer: 'accepted' },
    { kind: 'prompt', message: 'Who?', answer: 'accepted' },
  ]);
  expect(await tab.dialogs.seen()).toEqual([]);
});

test.each(['button "One"', 'button "Choose"'])('a file is put into %s', async (name) => {
  await show('/files');
  const file = { name: 'a.txt', contentType: 'text/plain', bytes: Buffer.from('hello') };
  await tab.elements.upload(await getRef(name), file);
  await tab.waitFor('Choose', 'visible', 1_000);
  expect(await tab.title()).toBe('a.txt: hello');
});

test('a download is begun', async () => {
  await show('/');
  expect(await tab.elements.download(await getRef('link "Get it"'))).toBe('prices.csv');
});

test('scrolls the page and what is in it', async () => {
  await show('/scroll');
  await tab.elements.scroll(await getRef('Inner'), 'down', 1);
  await tab.elements.scroll(null, 'down', 1);
  // The events of scrolling come with the next frames.
  await tab.screenshot();
  expect(await tab.title()).toBe('true,true');
  await tab.elements.scroll(null, 'up', 10);
  await tab.screenshot();
  expect(await tab.title()).toBe('false,true');
});

test('waits for a text to come and to go', async () => {
  await show('/later');
  await tab.elements.click(await getRef('button "Load"'));
  await tab.waitFor('Arrived', 'visible', 10_000);
  await tab.elements.click(await getRef('button "Settle"'));
  await tab.waitFor('Loading', 'hidden', 10_000);
  await expect(tab.waitFor('Never', 'visible', 100)).rejects.toThrow('"Never" did not appear within 0.1 s.');
  await expect(tab.waitFor('Arrived', 'hidden', 100)).rejects.toThrow('"Arrived" did not go away within 0.1 s.');
});

test('there is no page before the first', async () => {
  await tab.tabs.add();
  await expect(tab.back()).rejects.toThrow('this is the first page of the tab');
});

test('takes a picture', async () => {
  await show('/canvas');
  expect((await tab.screenshot()).slice(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
});
