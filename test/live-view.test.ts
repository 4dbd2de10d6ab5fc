import { readFileSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type PageServer, servePages } from '#browsers/testing/serve-pages.ts';
import { connectViewer } from './support/connect-viewer.ts';
import { type RawCdp, connectRaw } from './support/raw-cdp.ts';
import { type RealBackend, startRealBackend } from './support/start-real-backend.ts';
import { type EmbeddedView, type ViewingBrowser, startViewingBrowser } from './support/viewing-page.ts';

/** Each test waits for two browsers, which a busy machine starts slowly. */
vi.setConfig({ testTimeout: 120_000 });

const width = 1280;
const style =
  '<style>body { margin: 0 } button, input, textarea { position: absolute; left: 100px; width: 200px; height: 60px; font-size: 20px }</style>';
const pages = {
  '/': `<title>Desk</title>${style}<body style="background:#c81e3c">
    <button style="top:100px" onclick="document.title = 'Pressed'">Press</button>
    <input style="top:200px" onkeydown="globalThis.keys = (globalThis.keys ?? '') + event.key + ' '">
    <textarea style="top:300px"></textarea>
    <button style="top:400px" ondblclick="document.title = 'Twice'" oncontextmenu="document.title = 'Menu'; return false">Twice</button>
    <div style="height:4000px"></div>`,
  '/ask': `<title>Ask</title>${style}<button style="top:100px" onclick="document.title = prompt('Who are you?', 'me') ?? 'nobody'">Ask</button>`,
  '/other': '<title>Other</title><body style="background:#1e3cc8">',
};

/** Polls a value with the default timeout of this file, because a busy machine is slow. */
// oxlint-disable-next-line vitest/require-awaited-expect-poll -- the caller awaits it
const eventually = <T>(read: () => T): ReturnType<typeof expect.poll<T>> => expect.poll(read);

let server: PageServer;
let real: RealBackend;
let viewing: ViewingBrowser;
let browser: Awaited<ReturnType<RealBackend['browser']>>;
let client: RawCdp;
let session: string;

beforeAll(async () => {
  server = await servePages(pages);
  real = await startRealBackend({ allow: [server.host] });
  viewing = await startViewingBrowser();
});
afterAll(async () => {
  await viewing.close();
  await real.stop();
  await server.close();
});
beforeEach(async () => {
  browser = await real.browser({ allowResizing: true });
  client = await connectRaw(browser.cdpUrl);
  session = await attach((await targets())[0]?.targetId ?? '');
  return async () => {
    await stop();
  };
});

async function stop(): Promise<void> {
  await real.v4.call('PATCH', `/browsers/${browser.id}`, { action: 'stop' });
}

async function targets(): Promise<{ targetId: string; type: string }[]> {
  const { targetInfos } = await client.result('Target.getTargets');
  return (targetInfos as { targetId: string; type: string }[]).filter(({ type }) => type === 'page');
}

async function attach(targetId: string): Promise<string> {
  const { sessionId } = await client.result('Target.attachToTarget', { targetId, flatten: true });
  return String(sessionId);
}

async function evaluate(expression: string): Promise<unknown> {
  const params = { expression, returnByValue: true };
  const { result } = await client.result('Runtime.evaluate', params, session);
  return (result as { value: unknown }).value;
}

/** Opens a page of the server in the watched browser and waits until the view shows it. */
async function show(path: string, view: EmbeddedView): Promise<void> {
  await client.result('Page.navigate', { url: `${server.origin}${path}` }, session);
  await eventually(() => view.view.locator('#address').inputValue()).toBe(`${server.origin}${path}`);
  await eventually(() => evaluate('document.readyState')).toBe('complete');
  await view.view.locator('#notice').waitFor({ state: 'hidden', timeout: 60_000 });
}

describe('the live view in a frame of another origin', () => {
  it('clicks a button and types into a field of the watched page', async () => {
    const view = await viewing.embed(browser.liveUrl);
    await show('/', view);
    const { mouse, keyboard } = view.page;
    const button = await view.at(200, 130, width);
    await mouse.click(button.x, button.y);
    await eventually(() => evaluate('document.title')).toBe('Pressed');
    await eventually(() => view.view.locator('#address').getAttribute('title')).toBe('Pressed');

    const field = await view.at(200, 230, width);
    await mouse.click(field.x, field.y);
    await keyboard.type('Hello, Wörld 1!');
    await keyboard.press('Home');
    await keyboard.press('Shift+ArrowRight');
    await keyboard.press('Delete');
    await eventually(() => evaluate('document.querySelector("input").value')).toBe('ello, Wörld 1!');
    expect(await evaluate('globalThis.keys')).toContain('Home Shift ArrowRight Delete ');
  });

  it('opens a typed address, goes back, reloads and opens a tab', async () => {
    const view = await viewing.embed(browser.liveUrl);
    await show('/', view);
    const shown = view.view.locator('#address');
    await eventually(() => view.view.locator('#badge').textContent()).toBe('You are in control');
    await shown.fill(`${server.origin}/other`);
    await shown.press('Enter');
    await eventually(() => evaluate('document.title')).toBe('Other');
    await evaluate("document.title = 'Changed'");
    await view.view.locator('#reload').click();
    await eventually(() => evaluate('document.title')).toBe('Other');
    await view.view.locator('#back').click();
    await eventually(() => shown.inputValue()).toBe(`${server.origin}/`);
    await view.view.locator('#new-tab').click();
    await eventually(() => view.view.locator('#tabs button').count()).toBe(2);
    await eventually(() => shown.inputValue()).toBe('');
  });

  it('shows the way out while keys go to the page', async () => {
    const view = await viewing.embed(browser.liveUrl);
    await show('/', view);
    const hint = view.view.locator('#way-out');
    expect(await hint.isVisible()).toBe(false);
    const field = await view.at(200, 230, width);
    await view.page.mouse.click(field.x, field.y);
    await eventually(() => hint.isVisible()).toBe(true);
    await view.page.keyboard.press('Shift+Escape');
    await eventually(() => hint.isVisible()).toBe(false);
  });

  it('scrolls, double clicks and opens the menu of the page', async () => {
    const view = await viewing.embed(browser.liveUrl);
    await show('/', view);
    const { x, y } = await view.at(200, 430, width);
    await view.page.mouse.dblclick(x, y);
    await eventually(() => evaluate('document.title')).toBe('Twice');
    await view.page.mouse.click(x, y, { button: 'right' });
    await eventually(() => evaluate('document.title')).toBe('Menu');
    await view.page.mouse.wheel(0, 300);
    await eventually(() => evaluate('scrollY')).toBe(300);
  });

  it('pastes into the page, and hands out what is selected there', async () => {
    const view = await viewing.embed(browser.liveUrl);
    await show('/', view);
    const area = await view.at(200, 330, width);
    await view.page.mouse.click(area.x, area.y);
    await view.view.locator('#text').click();
    await view.view.locator('#panel-text').fill('two\nlines');
    await view.view.locator('#panel-send').click();
    await eventually(() => evaluate('document.querySelector("textarea").value')).toBe('two\nlines');
    await view.page.mouse.click(area.x, area.y);
    await view.page.keyboard.press('Control+a');
    await view.page.keyboard.press('Control+x');
    // A frame of another origin may not use the clipboard by itself. The view shows the text, to be copied by hand.
    await eventually(() => view.view.locator('#panel-text').inputValue()).toBe('two\nlines');
    await eventually(() => evaluate('document.querySelector("textarea").value')).toBe('');
  });

  it('shows a dialog in place of a frozen picture, and answers it', async () => {
    const view = await viewing.embed(browser.liveUrl);
    await show('/ask', view);
    const button = await view.at(200, 130, width);
    await view.page.mouse.click(button.x, button.y);
    const text = view.view.locator('#dialog-text');
    await text.waitFor({ state: 'visible', timeout: 60_000 });
    expect(await view.view.locator('#dialog-message').textContent()).toBe('Who are you?');
    expect(await text.inputValue()).toBe('me');
    // A later view-only viewer sees the same page too.
    const later = await viewing.open(await viewOnly(browser.liveUrl));
    await later.locator('#dialog-message').waitFor({ state: 'visible', timeout: 60_000 });
    expect(await later.locator('#dialog-accept').isVisible()).toBe(false);
    await text.fill('you');
    await view.view.locator('#dialog-accept').click();
    await eventually(() => evaluate('document.title')).toBe('you');
    await later.locator('#dialog').waitFor({ state: 'hidden', timeout: 60_000 });
  });
});

describe('the live view', () => {
  it('follows the tab in front, and brings another one there', async () => {
    const view = await viewing.embed(browser.liveUrl);
    await show('/', view);
    const { targetId } = await client.result('Target.createTarget', { url: `${server.origin}/other` });
    await eventually(() => view.view.locator('#address').inputValue()).toBe(`${server.origin}/other`);
    await eventually(() => readMiddle(view)).toBe('blue');
    await client.result('Page.bringToFront', {}, session);
    await eventually(() => view.view.locator('#address').inputValue()).toBe(`${server.origin}/`);
    await eventually(() => readMiddle(view)).toBe('red');
    await view.view.getByRole('button', { name: 'Other' }).click();
    await eventually(() => readMiddle(view)).toBe('blue');
    await client.result('Target.closeTarget', { targetId: String(targetId) });
    await eventually(() => readMiddle(view)).toBe('red');
  });

  it('shows the last of many frames, and a viewer that acknowledges none does not delay others', async () => {
    const view = await viewing.embed(browser.liveUrl);
    const slow = await connectViewer(browser.liveUrl, { acknowledges: false });
    const quick = await connectViewer(browser.liveUrl);
    await show('/', view);
    for (let times = 0; times < 3; times += 1) {
      await evaluate(changeColours);
      await eventually(() => readMiddle(view)).toBe('blue');
      await evaluate('document.body.style.background = "#c81e3c"');
      await eventually(() => readMiddle(view)).toBe('red');
    }
    expect(quick.pictures.length).toBeGreaterThan(6);
    expect(slow.pictures).toEqual([1, 2, 3, 4]);
    // After the acknowledgement, the view shows the latest picture, not an earlier one.
    slow.send({ type: 'ack', picture: 4 });
    await eventually(() => slow.pictures.length).toBeGreaterThan(4);
    await evaluate('1');
    // A busy browser may have made one more picture since. More than four pictures were not sent.
    expect(slow.pictures.length).toBeLessThan(8);
    slow.close();
    quick.close();
  });

  it('shows that a page has crashed, and loads it again', async () => {
    const view = await viewing.embed(browser.liveUrl);
    await show('/', view);
    await crashPages();
    await eventually(() => view.view.locator('#notice-text').textContent()).toBe('This page has crashed.');
    const later = await viewing.open(browser.liveUrl);
    await later.getByText('This page has crashed.').waitFor({ timeout: 60_000 });
    await view.view.getByRole('button', { name: 'Load it again' }).click();
    await view.view.locator('#notice').waitFor({ state: 'hidden', timeout: 60_000 });
    await eventually(() => readMiddle(view)).toBe('red');
  });

  it('says when the browser has gone, shows it again once it is back, and ends with it', async () => {
    const view = await viewing.embed(browser.liveUrl);
    await show('/', view);
    for (const { pid } of await real.processes()) process.kill(-pid, 'SIGKILL');
    await client.ended;
    await eventually(() => view.view.locator('#notice-text').textContent()).toContain('is not running');
    client = await connectRaw(browser.cdpUrl);
    session = await attach((await targets())[0]?.targetId ?? '');
    await show('/other', view);
    await eventually(() => readMiddle(view)).toBe('blue');
    await stop();
    await eventually(() => view.view.locator('#notice-text').textContent()).toBe('The browser has ended.');
  });

  it('works on a phone, and gives the page its size', async () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
    const view = await viewing.embed(browser.liveUrl);
    await show('/', view);
    const page = await viewing.open(browser.liveUrl, phone);
    await page.getByRole('button', { name: 'Fit size' }).tap();
    await eventually(() => evaluate('innerWidth')).toBe(390);
    await eventually(() => page.locator('#picture').evaluate(getWidth)).toBe(390);
    const box = await page.locator('#picture').boundingBox();
    await page.touchscreen.tap((box?.x ?? 0) + 200, (box?.y ?? 0) + 130);
    await eventually(() => evaluate('document.title')).toBe('Pressed');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.touchscreen.tap((box?.x ?? 0) + 200, (box?.y ?? 0) + 230);
    await eventually(() => evaluate('document.activeElement.localName')).toBe('input');
    await page.getByRole('button', { name: 'Keyboard' }).tap();
    // A browser clicks some time after a tap. Text that arrives before the click has no focused field.
    await eventually(() => page.evaluate('document.activeElement.id')).toBe('keys');
    await page.keyboard.insertText('from a phone');
    await eventually(() => evaluate('document.querySelector("input").value')).toBe('from a phone');
  });

  it('lets go what a viewer held when it vanished', async () => {
    const view = await viewing.embed(browser.liveUrl);
    await show('/', view);
    await evaluate('addEventListener("mouseup", () => { document.title = "Let go" })');
    const viewer = await connectViewer(browser.liveUrl);
    await viewer.report(({ type }) => type === 'scene');
    const press = { type: 'mouse', x: 600, y: 600, button: 'left', buttons: 1, clicks: 1, modifiers: 0 } as const;
    viewer.send({ ...press, action: 'down' });
    viewer.socket.terminate();
    await eventually(() => evaluate('document.title')).toBe('Let go');
  });

  it('lifts one finger of two', async () => {
    const view = await viewing.embed(browser.liveUrl);
    await show('/', view);
    await evaluate(
      'window.lifted = []; addEventListener("touchend", ({ touches, changedTouches }) => { window.lifted.push([changedTouches.length, touches.length]) })',
    );
    const viewer = await connectViewer(browser.liveUrl);
    await viewer.report(({ type }) => type === 'scene');
    const [first, second] = [
      { id: 0, x: 300, y: 300 },
      { id: 1, x: 400, y: 400 },
    ];
    const touch = { type: 'touch', modifiers: 0 } as const;
    viewer.send({ ...touch, action: 'start', points: [first] });
    viewer.send({ ...touch, action: 'start', points: [first, second] });
    viewer.send({ ...touch, action: 'end', points: [second] });
    await eventually(() => evaluate('JSON.stringify(window.lifted)')).toBe('[[1,1]]');
    viewer.send({ ...touch, action: 'end', points: [] });
    await eventually(() => evaluate('JSON.stringify(window.lifted)')).toBe('[[1,1],[1,0]]');
    viewer.socket.terminate();
  });

  it('of a dialog that was open before anybody watched can answer it', async () => {
    await client.result('Page.navigate', { url: `${server.origin}/ask` }, session);
    await eventually(() => evaluate('document.readyState')).toBe('complete');
    await client.result('Page.enable', {}, session);
    await evaluate('void setTimeout(() => document.querySelector("button").click(), 0)');
    await client.event('Page.javascriptDialogOpening', session);
    const view = await viewing.embed(browser.liveUrl);
    const text = view.view.locator('#dialog-text');
    await text.waitFor({ state: 'visible', timeout: 60_000 });
    await text.fill('late');
    await view.view.locator('#dialog-accept').click();
    await eventually(() => evaluate('document.title')).toBe('late');
    await view.view.locator('#dialog').waitFor({ state: 'hidden', timeout: 60_000 });
  });
});

/**
 * Script that changes the page's shade of green with each painted frame. With the thirtieth frame the page becomes
 * blue.
 */
const changeColours = `(() => {
  let left = 30;
  const paint = () => {
    left -= 1;
    document.body.style.background = left > 0 ? 'hsl(120 70% ' + left * 3 + '%)' : '#1e3cc8';
    if (left > 0) requestAnimationFrame(paint);
  };
  requestAnimationFrame(paint);
})()`;

/** Kills the page processes of the first running browser, as the system does when memory is short. */
async function crashPages(): Promise<void> {
  const [main] = await real.processes();
  const shown = readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && isPageInGroup(main?.pid ?? 0, Number(name)),
  );
  expect(shown.length).toBeGreaterThan(0);
  for (const pid of shown) process.kill(Number(pid), 'SIGKILL');
}

function isPageInGroup(group: number, pid: number): boolean {
  try {
    const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    return (
      Number(fields.split(' ')[2]) === group && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer')
    );
  } catch {
    // The process ended during this check.
    return false;
  }
}

/** Returns the colour of the picture's middle pixel: `red`, `blue`, or the three components as numbers. */
async function readMiddle({ view }: EmbeddedView): Promise<string> {
  const [red = 0, green = 0, blue = 0] = await view.locator('#picture').evaluate(middlePixel);
  if (red > 150 && green < 90 && blue < 110) return 'red';
  return blue > 150 && red < 90 && green < 110 ? 'blue' : `${red},${green},${blue}`;
}

interface Canvas {
  readonly width: number;
  readonly height: number;
  getContext(kind: '2d'): { getImageData(x: number, y: number, w: number, h: number): { data: ArrayLike<number> } };
}

/** Runs in the page; returns the components of the middle pixel of a canvas. */
function middlePixel(element: unknown): number[] {
  const canvas = element as Canvas;
  return Array.from(canvas.getContext('2d').getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data);
}

/** Runs in the page; returns the width of a canvas in pixels. */
function getWidth(element: unknown): number {
  return (element as Canvas).width;
}

/** Connects a viewer that may control the browser, and returns the view-only URL that this viewer receives. */
async function viewOnly(liveUrl: string): Promise<string> {
  const viewer = await connectViewer(liveUrl);
  const report = await viewer.report(({ type }) => type === 'scene');
  viewer.close();
  return new URL((report.type === 'scene' ? report.viewOnlyPath : null) ?? '', liveUrl).href;
}
