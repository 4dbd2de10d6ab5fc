import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium as playwright } from 'playwright-core';
import { connect } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import {
  type CdpGateway,
  createCdpGateway,
  createLocalHost,
  type LocalBrowser,
  type LocalHost,
} from '#browsers/index.ts';
import { probeOnce } from '#browsers/testing/probe-once.ts';
import { createRecordingLog } from '#browsers/testing/recording-log.ts';
import { type DetectorServer, type Findings, serveDetectors } from '#browsers/testing/serve-detectors.ts';
import { gatewayLimits } from '#api/public/cdp-routes.ts';
import { defaultRules } from '#contract/rule-book.ts';

const notABot = { botd: [], fpscanner: [], isBot: { botd: false, fpscanner: false } };
const screen = { width: 1280, height: 800 };

let directory: string;
let detectors: DetectorServer;
let host: LocalHost;
let browser: LocalBrowser;
let gateway: CdpGateway;
let door: Server;
let address: string;

beforeAll(async () => {
  // Elsewhere the time zone follows the country of the exit (decision 18). The server's own time zone would identify a
  // server.
  vi.stubEnv('TZ', 'America/New_York');
  directory = await mkdtemp(join(tmpdir(), 'svc-stealth-'));
  detectors = await serveDetectors();
  const log = createRecordingLog();
  host = await createLocalHost({ directory: join(directory, 'on'), log, allow: [detectors.host], probe: probeOnce });
  browser = await host.launch({ sessionId: 'disguised', screen: screen, proxyCountryCode: null });
  gateway = createCdpGateway({
    open: async () => browser,
    findBrowserId: async () => 'disguised',
    address: () => address,
    rules: defaultRules,
    limits: gatewayLimits(defaultRules),
    log,
  });
  door = createServer().on('upgrade', (request, socket, head) => gateway.upgrade(request, socket, head));
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  const bound = door.address();
  address = `ws://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}/devtools/browser/token`;
});
afterAll(async () => {
  await gateway.close();
  await host.close();
  door.close();
  await detectors.close();
  await rm(directory, { recursive: true });
  vi.unstubAllEnvs();
});

test("an agent's tab is no bot to any detector", async () => {
  const tab = await browser.tab();
  await tab.open(detectors.address);
  expect(await detectors.findings()).toMatchObject(notABot);
});

test('a tab of a Playwright client over the gateway is not detected, also in a separate context', async () => {
  const client = await playwright.connectOverCDP(address);
  try {
    const context = await client.newContext();
    for (const page of [await client.contexts()[0]?.newPage(), await context.newPage()]) {
      await page?.goto(detectors.address);
      expect(await detectors.findings()).toMatchObject(notABot);
    }
    await context.close();
  } finally {
    await client.close();
  }
});

test('a tab of a Puppeteer client over the gateway is not detected', async () => {
  const client = await connect({ browserWSEndpoint: address, defaultViewport: null });
  try {
    const page = await client.newPage();
    await page.goto(detectors.address);
    expect(await detectors.findings()).toMatchObject(notABot);
  } finally {
    await client.disconnect();
  }
});

test('a tab of a raw client that does not wait is not detected, and its first script sees the same as later ones', async () => {
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const send = (command: object): void => socket.send(JSON.stringify(command));
  socket.on('message', (data: Buffer) => {
    const { id, result } = JSON.parse(data.toString('utf8'));
    if (id === 1)
      send({ id: 2, method: 'Target.attachToTarget', params: { targetId: result.targetId, flatten: true } });
    if (id === 2)
      send({ id: 3, sessionId: result.sessionId, method: 'Page.navigate', params: { url: detectors.address } });
  });
  send({ id: 1, method: 'Target.createTarget', params: { url: 'about:blank' } });
  const found = await detectors.findings();
  socket.close();
  expect(found).toMatchObject(notABot);
  expect(found.first).toEqual({ chrome: 'object', plugins: 5, brands: readBrands(found) });
});

test('a tab that is created with its address is told before its first script', async () => {
  await browser.mux.command('Target.createTarget', { url: detectors.address });
  const found = await detectors.findings();
  expect(found.first).toEqual({ chrome: 'object', plugins: 5, brands: readBrands(found) });
});

test('the page, its frames, its workers and the headers of its requests say the same', async () => {
  await (await browser.tab()).open(detectors.address);
  const { places } = await detectors.findings();
  const { page } = places;
  const names = ['page', 'frame', 'foreign', 'worker', 'shared', 'service'];
  expect(places).toEqual(Object.fromEntries(names.map((name) => [name, page])));
  expect(JSON.stringify(page)).not.toMatch(/headless|swiftshader/i);
  const ofDocuments = ['/', '/frame', '/from-page'];
  const ofWorkers = ['/worker.js', '/from-worker', '/shared.js'];
  expect(sent('user-agent', [...ofDocuments, ...ofWorkers, '/service.js'])).toEqual(new Set([page?.['userAgent']]));
  expect(sent('accept-language', [...ofDocuments, ...ofWorkers])).toEqual(new Set(['en-US,en;q=0.9']));
  expect(sent('sec-ch-ua', ofDocuments)).toEqual(new Set([brandsIn(page?.['hints'], 'brands')]));
  const fullVersions = brandsIn(page?.['hints'], 'fullVersionList');
  expect(sent('sec-ch-ua-full-version-list', ['/from-page'])).toEqual(new Set([fullVersions]));
});

test('a client that wants to be something else is it, in its page and its headers', async () => {
  const client = await playwright.connectOverCDP(address);
  try {
    const context = await client.newContext({ userAgent: 'Wanted/1.0', locale: 'de-DE' });
    const page = await context.newPage();
    await page.goto(`${detectors.address}frame`);
    const said = await page.evaluate(() => [navigator.userAgent, navigator.language]);
    expect(said).toEqual(['Wanted/1.0', 'de-DE']);
    expect(detectors.headers('/frame')['user-agent']).toBe('Wanted/1.0');
    await context.close();
  } finally {
    await client.close();
  }
});

test('printing an error tells a page nothing, and its reader gets the error', async () => {
  const client = await playwright.connectOverCDP(address);
  try {
    const page = await client.contexts()[0]?.newPage();
    const printed = page?.waitForEvent('console');
    const seen = await page?.evaluate(() => {
      let calls = 0;
      const hook = (): string => `hooked ${(calls += 1)}`;
      Object.assign(Error, { prepareStackTrace: hook });
      globalThis['console'].log(new Error('printed'));
      const kept = Reflect.get(Error, 'prepareStackTrace') === hook;
      return { calls, kept, own: new Error('asked for').stack };
    });
    expect(seen).toEqual({ calls: 0, kept: true, own: 'hooked 1' });
    expect((await printed)?.text()).toContain('Error: printed');
  } finally {
    await client.close();
  }
});

test('without the measures both detectors see a bot', async () => {
  const bare = await createLocalHost({
    directory: join(directory, 'off'),
    log: createRecordingLog(),
    allow: [detectors.host],
    stealth: false,
  });
  try {
    const plain = await bare.launch({ sessionId: 'bare', screen: screen, proxyCountryCode: null });
    await (await plain.tab()).open(detectors.address);
    const found = await detectors.findings();
    expect(found.isBot).toEqual({ botd: true, fpscanner: true });
    expect(found.botd).toEqual(expect.arrayContaining(['detectUserAgent', 'detectWebDriver']));
    expect(found.fpscanner).toEqual(
      expect.arrayContaining(['hasWebdriver', 'hasBotUserAgent', 'hasSwiftshaderRenderer', 'hasCDP']),
    );
    expect(JSON.stringify(found.places)).toMatch(/headless/i);
  } finally {
    await bare.close();
  }
});

/** Returns the values that a header had in the latest request for each of these paths. */
function sent(header: string, paths: readonly string[]): Set<unknown> {
  return new Set(paths.map((path) => detectors.headers(path)[header]));
}

function readBrands({ places }: Findings): unknown {
  const hints = places['page']?.['hints'];
  return typeof hints === 'object' && hints !== null ? Reflect.get(hints, 'brands') : undefined;
}

/** Returns the brands in the member `name` of client hints, as a header lists them. */
function brandsIn(hints: unknown, name: string): string {
  const brands: unknown = typeof hints === 'object' && hints !== null ? Reflect.get(hints, name) : undefined;
  const list: readonly { readonly brand: string; readonly version: string }[] = Array.isArray(brands) ? brands : [];
  return list.map(({ brand, version }) => `"${brand}";v="${version}"`).join(', ');
}
