import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type ServerResponse, createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Tab } from './tab.ts';
import { createLocalHost, type LocalHost } from '../local-host.ts';
import type { LocalBrowser } from '../local-browser.ts';
import { createRecordingLog } from '../testing/recording-log.ts';
import { createTestViewer } from '../testing/test-viewer.ts';

/**
 * Called with the path of each request that the test server has answered, in the same event-loop tick as the answer.
 */
let answered: (path: string) => void = () => undefined;
const pages: Readonly<Record<string, string>> = {
  '/start': `<title>Start</title><a href="/slow">Leave</a> <a href="/slow" target="_blank">Window</a>
    <form action="/slow"><button>Send</button></form> <label>Name <input></label>
    <button onclick="alert('hello')">Ask</button> <button onclick="navigator.sendBeacon('/slow');
      for (const end = Date.now() + 700; Date.now() < end;); alert('late')">Late</button> <button onclick="navigator.sendBeacon('/slow'); for (;;);">Hang</button>`,
  '/next': '<title>Next</title>',
};

let server: ReturnType<typeof createServer>;
let origin: string;
/** Responses to requests for `/slow` that the test server keeps open; some tests end them. */
let held: ServerResponse[];
let arrived: PromiseWithResolvers<ServerResponse>;
let directory: string;
let host: LocalHost;
let browser: LocalBrowser;
let task: AbortController;
let tab: Tab;
let sessions = 0;
const reason = new Error('the task was stopped');

beforeAll(async () => {
  server = createServer((request, response) => {
    const page = pages[request.url ?? ''];
    if (request.url?.startsWith('/slow') === true) {
      held.push(response);
      return arrived.resolve(response);
    }
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html' });
    response.end(page ?? '');
    return answered(request.url ?? '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  origin = `http://127.0.0.1:${port}`;
  directory = await mkdtemp(join(tmpdir(), 'svc-cancel-'));
  host = await createLocalHost({ directory, log: createRecordingLog(), allow: [`127.0.0.1:${port}`] });
});
afterAll(async () => {
  await host.close();
  server.closeAllConnections();
  server.close();
  await rm(directory, { recursive: true });
});

beforeEach(async () => {
  [held, arrived] = [[], Promise.withResolvers()];
  sessions += 1;
  const screen = { width: 800, height: 600 };
  browser = await host.launch({ sessionId: `session-${sessions}`, screen, proxyCountryCode: null });
  task = new AbortController();
  tab = await browser.tab(task.signal);
});
afterEach(() => browser.stop());

/** Waits for `begun`, and then aborts and ends the task. Expects that `step` rejects with the reason of the abort. */
async function endWhile(step: Promise<unknown>, begun: Promise<unknown>): Promise<void> {
  const outcome = step.catch((error: unknown) => error);
  await begun;
  task.abort(reason);
  await browser.endTask(true);
  expect(await outcome).toBe(reason);
}

async function nextTask(): Promise<Tab> {
  return browser.tab(new AbortController().signal);
}

describe('a task that is ended', () => {
  it.each([
    { name: 'an address that it opens', step: () => tab.open(`${origin}/slow`) },
    { name: 'a link that it has clicked', step: () => tab.click('Leave') },
    { name: 'a form that it has sent', step: () => tab.click('Send') },
  ])('leaves the page where it is, without $name', async ({ step }) => {
    await tab.open(`${origin}/start`);
    await endWhile(step(), arrived.promise);
    const given = await arrived.promise;
    if (!given.destroyed) await once(given, 'close');
    const next = await nextTask();
    expect(await next.title()).toBe('Start');
    await next.open(`${origin}/next`);
    expect([await next.title(), held.length]).toEqual(['Next', 1]);
  });

  it('takes no new tab to the front when the next one works', async () => {
    await tab.open(`${origin}/start`);
    await endWhile(tab.click('Window'), arrived.promise);
    const next = await nextTask();
    await next.open(`${origin}/next`);
    (await arrived.promise).end('<title>Too late</title>');
    await delay(300);
    expect(await next.tabs.list()).toMatchObject([{ title: 'Next', isFront: true }]);
  });

  it.each([
    { name: 'an element', step: () => tab.click('Nowhere') },
    { name: 'a field', step: () => tab.type('Nowhere', 'x') },
    { name: 'a text', step: () => tab.waitFor('Nowhere', 'visible', 10_000) },
    { name: 'a download', step: () => tab.download('Ask') },
  ])('waits no longer for $name, and keeps its page', async ({ step }) => {
    await tab.open(`${origin}/start`);
    const begun = performance.now();
    await endWhile(step(), delay(300));
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(await (await nextTask()).title()).toBe('Start');
  });

  it('closes a dialog that was left to a viewer, and forgets what was said of the next one', async () => {
    const viewer = createTestViewer({ answersDialogs: true });
    const seat = await browser.watch(viewer);
    await tab.open(`${origin}/start`);
    await tab.dialogs.answerNext({ accept: true, text: '' });
    await tab.click('Ask');
    await endWhile(tab.click('Ask'), delay(500));
    await seat.leave();
    const next = await nextTask();
    expect(await next.dialogs.seen()).toEqual([]);
    await next.click('Ask');
    expect(await next.dialogs.seen()).toMatchObject([{ answer: 'dismissed' }]);
  });

  it('tells the next one of no dialog that comes up while it is ended', async () => {
    await tab.open(`${origin}/start`);
    await endWhile(tab.click('Late'), arrived.promise);
    const next = await nextTask();
    expect([await next.title(), await next.dialogs.seen()]).toEqual(['Start', []]);
  });

  it('loses a page that does not answer, and nothing else', async () => {
    await tab.open(`${origin}/start`);
    await endWhile(tab.click('Hang'), arrived.promise);
    const next = await nextTask();
    expect(await next.url()).toBe('about:blank');
    await next.open(`${origin}/next`);
    expect(await next.title()).toBe('Next');
  });
});

it('a task that is ended while its page changes documents keeps the browser and a page', async () => {
  const titles = new Set<string>();
  // The document changes within milliseconds after the answer of the server. Each round ends the task after another
  // delay.
  for (let round = 0; round < 24; round += 1) {
    task = new AbortController();
    tab = await browser.tab(task.signal);
    await tab.open(`${origin}/start`);
    const { promise, resolve } = Promise.withResolvers<void>();
    answered = (path) => void (path === '/next' && resolve());
    const step = tab.open(`${origin}/next`).catch(() => undefined);
    await promise;
    await delay((round % 12) / 2);
    task.abort(reason);
    await browser.endTask(true);
    await step;
    titles.add(await (await nextTask()).title());
  }
  expect([...titles].filter((title) => !['Start', 'Next', ''].includes(title))).toEqual([]);
});

it('a task that is ended while a new tab comes leaves no tab to the next one that goes', async () => {
  // The tab arrives within milliseconds after the answer of the server. Each round ends the task after another delay.
  for (let round = 0; round < 16; round += 1) {
    task = new AbortController();
    tab = await browser.tab(task.signal);
    await tab.open(`${origin}/start`);
    [held, arrived] = [[], Promise.withResolvers()];
    const step = tab.click('Window').catch(() => undefined);
    (await arrived.promise).end('<title>Window</title>');
    await delay((round % 16) / 2);
    task.abort(reason);
    await browser.endTask(true);
    await step;
    const next = await nextTask();
    await next.open(`${origin}/next`);
    expect(await next.title()).toBe('Next');
  }
});

it('a task that has come to its end by itself leaves what its page loads', async () => {
  await tab.open(`${origin}/start`);
  await tab.dialogs.answerNext({ accept: true, text: '' });
  await browser.endTask(false);
  const next = await nextTask();
  await next.click('Ask');
  expect([await next.title(), await next.dialogs.seen()]).toMatchObject(['Start', [{ answer: 'dismissed' }]]);
});
