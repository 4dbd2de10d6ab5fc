import { once } from 'node:events';
import { request } from 'node:http';
import { chromium } from 'playwright-core';
import { connect } from 'puppeteer-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isAlive } from '#browsers/isolation/process-table.ts';
import { type PageServer, servePages } from '#browsers/testing/serve-pages.ts';
import { type RuleBook, defaultRules } from '#contract/rule-book.ts';
import { type RawCdp, connectRaw } from './support/raw-cdp.ts';
import { type RealBackend, startRealBackend } from './support/start-real-backend.ts';

const pages = {
  '/': '<title>Shop</title><h1>Fruit</h1>',
  '/ask': '<title>Ask</title><button onclick="document.title = prompt(\'Who?\')">Ask</button>',
};
/** Rules with a backlog of 1 MiB, so that a client counts as slow after a few messages. */
const smallBacklog: RuleBook = {
  ...defaultRules,
  limits: {
    ...defaultRules.limits,
    limits: defaultRules.limits.limits.map((row) => (row.limit === 'cdpBacklog' ? { ...row, value: 1_048_576 } : row)),
  },
};

let server: PageServer;
let real: RealBackend;
let id: string;
let cdpUrl: string;

beforeAll(async () => {
  server = await servePages(pages);
  real = await startRealBackend({ allow: [server.host], rules: smallBacklog });
});
afterAll(async () => {
  await real.stop();
  await server.close();
});
beforeEach(async () => {
  ({ id, cdpUrl } = await real.browser());
  return async () => {
    await real.v4.call('PATCH', `/browsers/${id}`, { action: 'stop' });
  };
});

function evaluate(client: RawCdp, session: string, expression: string): Promise<unknown> {
  const params = { expression, returnByValue: true };
  return client.result('Runtime.evaluate', params, session).then(({ result }) => (result as { value: unknown }).value);
}

describe('clients of a standalone browser', () => {
  it('drive it at the same time, close it, and find the same page again', async () => {
    const playwright = await chromium.connectOverCDP(cdpUrl);
    const puppeteer = await connect({ browserWSEndpoint: cdpUrl, defaultViewport: null });
    const mine = playwright.contexts()[0]?.pages()[0];
    await mine?.goto(`${server.origin}/`);
    const [theirs] = await puppeteer.pages();
    expect(await theirs?.title()).toBe('Shop');
    await theirs?.evaluate('globalThis.memory = "of puppeteer"');
    expect(await mine?.evaluate('globalThis.memory')).toBe('of puppeteer');
    await puppeteer.close();
    expect(await mine?.title()).toBe('Shop');
    await playwright.close();

    const again = await chromium.connectOverCDP(cdpUrl);
    const same = again.contexts()[0]?.pages()[0];
    expect(same?.url()).toBe(`${server.origin}/`);
    expect(await same?.evaluate('globalThis.memory')).toBe('of puppeteer');
    await again.close();
    expect((await real.v4.call('GET', `/browsers/${id}`)).body['status']).toBe('active');
  });

  it('find the same page after their connection was cut', async () => {
    const first = await connectRaw(cdpUrl);
    const session = await first.page();
    await first.result('Page.navigate', { url: `${server.origin}/` }, session);
    await evaluate(first, session, 'globalThis.memory = "kept"');
    first.socket.terminate();
    await first.ended;
    const second = await connectRaw(cdpUrl);
    expect(await evaluate(second, await second.page(), 'location.href + globalThis.memory')).toBe(
      `${server.origin}/kept`,
    );
    second.close();
  });

  it('are detached by Browser.close, also from a session of the browser inside theirs', async () => {
    const outer = await connectRaw(cdpUrl);
    const other = await connectRaw(cdpUrl);
    const { sessionId } = await outer.result('Target.attachToBrowserTarget');
    const reply = await outer.call('Browser.close', {}, String(sessionId));
    expect(reply).toMatchObject({ result: {}, sessionId });
    expect(await outer.ended).toMatchObject({ code: 1000 });
    expect(await other.result('Browser.getVersion')).toHaveProperty('product');
    other.close();
  });

  it('find a page when the last one was closed', async () => {
    const first = await chromium.connectOverCDP(cdpUrl);
    for (const page of first.contexts()[0]?.pages() ?? []) await page.close();
    await first.close();
    const second = await chromium.connectOverCDP(cdpUrl);
    expect(
      second
        .contexts()[0]
        ?.pages()
        .map((page) => page.url()),
    ).toEqual(['about:blank']);
    await second.close();
  });

  it('answer dialogs themselves; a dialog that no client knows does not block the page', async () => {
    const puppeteer = await connect({ browserWSEndpoint: cdpUrl, defaultViewport: null });
    const [page] = await puppeteer.pages();
    await page?.goto(`${server.origin}/ask`);
    page?.once('dialog', (dialog) => void dialog.accept('Ada'));
    await page?.click('button');
    expect(await page?.title()).toBe('Ada');
    const asked = Promise.withResolvers<unknown>();
    page?.once('dialog', asked.resolve);
    await page?.evaluate('setTimeout(() => { document.title = String(prompt()); })');
    await asked.promise;
    // This client connects while the dialog is open. Chromium does not report the dialog to a new client.
    const again = await connect({ browserWSEndpoint: cdpUrl, defaultViewport: null });
    await puppeteer.disconnect();
    const [same] = await again.pages();
    await expect.poll(() => same?.title()).toBe('null');
    await again.disconnect();
  });

  it('get errors for what is no command, and stay connected', async () => {
    const client = await connectRaw(cdpUrl);
    const given = ['{', '[]', '"text"', '{}', '{"id":"1","method":"Browser.getVersion"}', '{"id":1}'];
    const codes = [];
    for (const data of given) codes.push(await client.next(data));
    expect(codes.map(({ error }) => (error as { code: number }).code)).toEqual([
      -32_700, -32_600, -32_600, -32_600, -32_600, -32_600,
    ]);
    expect(await client.next('{"id":2,"method":"a","params":[]}')).toMatchObject({ id: 2, error: { code: -32_602 } });
    expect(await client.next('{"id":3,"method":"a","sessionId":7}')).toMatchObject({ id: 3, error: { code: -32_600 } });
    const binary = await client.next(Buffer.from('{"id":4,"method":"Browser.getVersion"}'));
    expect(binary).toMatchObject({ id: 4, result: { protocolVersion: '1.3' } });
    client.close();
  });

  it('get an error for params that are nested too deeply, and stay connected', async () => {
    const client = await connectRaw(cdpUrl);
    const depth = 1_000_000;
    const params = `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    const reply = await client.next(`{"id":1,"method":"Runtime.evaluate","params":${params}}`);
    expect(reply).toMatchObject({ id: 1, error: { code: -32_602 } });
    expect(await client.result('Browser.getVersion')).toHaveProperty('product');
    client.close();
  });

  it('may send faster than the browser reads', async () => {
    const client = await connectRaw(cdpUrl);
    const session = await client.page();
    const length = 10_000_000;
    const expression = `"${'x'.repeat(length)}".length`;
    expect(await Promise.all(Array.from({ length: 5 }, () => evaluate(client, session, expression)))).toEqual(
      Array.from({ length: 5 }, () => length),
    );
    client.close();
  });

  it('end alone when they do not read', async () => {
    const slow = await connectRaw(cdpUrl);
    const quick = await connectRaw(cdpUrl);
    const large = { expression: '"x".repeat(16e6)', returnByValue: true };
    const slowSession = await slow.page();
    slow.socket.pause();
    const unread = Array.from({ length: 2 }, () => slow.call('Runtime.evaluate', large, slowSession).catch(String));
    // The pipe keeps the order of messages: all messages before this reply have been sent too.
    const session = await quick.page();
    expect(await evaluate(quick, session, '"x".repeat(100)')).toHaveLength(100);
    slow.socket.resume();
    expect(await slow.ended).toEqual({ code: 1013, reason: 'this client reads too slowly' });
    await Promise.all(unread);
    expect(await evaluate(quick, session, '1 + 1')).toBe(2);
    quick.close();
  });
});

describe('the address of a standalone browser', () => {
  it('answers discovery below it, for clients that ask first', async () => {
    const http = cdpUrl.replace(/^ws/, 'http');
    for (const path of ['/json/version', '/json/version/']) {
      const version = await (await fetch(`${http}${path}`)).json();
      expect(version).toMatchObject({
        Browser: expect.stringContaining('Chrome/'),
        'Protocol-Version': '1.3',
        'User-Agent': expect.stringContaining('Mozilla'),
        'V8-Version': expect.any(String),
        'WebKit-Version': expect.stringContaining('537.36'),
        webSocketDebuggerUrl: cdpUrl,
      });
    }
    expect(await (await fetch(`${http}/json/list`)).json()).toMatchObject([{ type: 'page', url: 'about:blank' }]);
    const playwright = await chromium.connectOverCDP(http);
    expect(playwright.contexts()).toHaveLength(1);
    await playwright.close();
  });

  it('is dead after the stop, and the processes have gone', async () => {
    const client = await connectRaw(cdpUrl);
    await client.result('Browser.getVersion');
    const before = await real.processes();
    expect(before).toHaveLength(1);
    const stopped = await real.v4.call('PATCH', `/browsers/${id}`, { action: 'stop' });
    expect(stopped.body).toMatchObject({ status: 'stopped', cdpUrl: null, liveUrl: null, browserCost: '0.000334' });
    expect(await client.ended).toEqual({ code: 1001, reason: 'browser stopped' });
    expect(await Promise.all(before.map(isAlive))).toEqual([false]);
    expect(real.folders()).toEqual([]);
    await expect(connectRaw(cdpUrl)).rejects.toThrow('404');
    expect((await fetch(`${cdpUrl.replace(/^ws/, 'http')}/json/version`)).status).toBe(404);
  });

  it('does not answer to another token, and other requests may offer an upgrade', async () => {
    await expect(connectRaw(cdpUrl.replace(/[^/]+$/, 'nobody'))).rejects.toThrow('404');
    await expect(connectRaw(`${real.address.replace(/^http/, 'ws')}/api/v4/browsers`)).rejects.toThrow('401');
    const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' };
    const asked = request(`${real.address}/healthz`, { headers }).end();
    const [response] = (await once(asked, 'response')) as [{ statusCode: number; resume(): void }];
    response.resume();
    expect(response.statusCode).toBe(200);
  });

  it('leads to a new browser after a crash, the same one for all clients', async () => {
    const client = await connectRaw(cdpUrl);
    await client.result('Browser.getVersion');
    const [crashed] = await real.processes();
    process.kill(-(crashed?.pid ?? Number.NaN), 'SIGKILL');
    expect(await client.ended).toMatchObject({ code: 1001 });
    expect((await real.v4.call('GET', `/browsers/${id}`)).body).toMatchObject({ status: 'active', cdpUrl });
    const clients = await Promise.all([connectRaw(cdpUrl), connectRaw(cdpUrl), connectRaw(cdpUrl)]);
    for (const each of clients) expect(await each.result('Browser.getVersion')).toHaveProperty('product');
    const now = await real.processes();
    expect(now).toHaveLength(1);
    expect(now).not.toEqual([crashed]);
    for (const each of clients) each.close();
  });
});

describe('a standalone browser', () => {
  it('is billed for the bytes of all its processes', async () => {
    const used = async (): Promise<number> =>
      Number((await real.v4.call('GET', `/browsers/${id}`)).body['proxyUsedMb']);
    const visit = async (): Promise<RawCdp> => {
      const client = await connectRaw(cdpUrl);
      const session = await client.page();
      await client.result('Page.enable', {}, session);
      await client.result('Page.navigate', { url: `${server.origin}/` }, session);
      await client.event('Page.loadEventFired', session);
      return client;
    };
    const first = await visit();
    const before = await used();
    expect(before).toBeGreaterThan(0);
    const [main] = await real.processes();
    process.kill(-(main?.pid ?? Number.NaN), 'SIGKILL');
    await first.ended;
    const between = await used();
    expect(between).toBeGreaterThanOrEqual(before);
    (await visit()).close();
    const after = await used();
    expect(after).toBeGreaterThan(between);
    const { body } = await real.v4.call('PATCH', `/browsers/${id}`, { action: 'stop' });
    expect(Number(body['proxyUsedMb'])).toBeGreaterThanOrEqual(after);
    expect(Number(body['proxyCost'])).toBeGreaterThan(0);
  });
});
