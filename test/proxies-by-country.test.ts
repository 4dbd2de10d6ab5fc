import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { type BrowserContext, type Page, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseProxies } from '#browsers/egress/proxy-file.ts';
import { createDataFile } from '#lib/testing/create-data-file.ts';
import { findChromium, languagePacks } from '#browsers/launch/find-chromium.ts';
import { commandLine } from '#browsers/isolation/process-table.ts';
import { type PageServer, servePages } from '#browsers/testing/serve-pages.ts';
import type { ForwardProxy } from '#browsers/testing/start-http-proxy.ts';
import { startLeadingProxy } from '#browsers/testing/start-leading-proxy.ts';
import { startSocksProxy } from '#browsers/testing/start-socks-proxy.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { type PlaceServer, servePlace } from './support/serve-place.ts';
import { type RealBackend, startRealBackend } from './support/start-real-backend.ts';

const account = { username: 'ann of de', password: 'correct horse of the country' };
/**
 * IP address of the shop according to the name server of the test. No machine of the test has this address; the proxies
 * connect to the shop when a browser requests it.
 */
const shopAddress = '93.184.215.14';

/** Timeout for changes that take seconds on a busy machine. */
const settledMs = 20_000;

let shop: PageServer;
let place: PlaceServer;
let german: ForwardProxy;
let japanese: ForwardProxy;
let real: RealBackend;
let shopPort: string;
const logged: string[] = [];

beforeAll(async () => {
  [shop, place] = await Promise.all([
    servePages({ '/': '<title>Shop</title>', '/large': 'x'.repeat(300_000) }),
    servePlace(),
  ]);
  shopPort = new URL(shop.origin).port;
  [german, japanese] = await Promise.all([startLeadingProxy({ account }), startSocksProxy(account)]);
  const text = `
proxies:
  - { countries: [de], url: 'http://127.0.0.1:${german.port}', username: 'ann of {country}', password: '\${WORD}' }
  - { countries: [jp], url: 'socks5://127.0.0.1:${japanese.port}', username: ${account.username}, password: '\${WORD}' }
  - { countries: [br], direct: true }
`;
  const { countries } = defaultRules;
  const codes = countries.countries.map(({ code }) => code);
  const proxies = parseProxies({
    file: createDataFile(text, 'proxies.yaml'),
    environment: { WORD: account.password },
    codes,
  });
  const keep = (fields: object, message: string): void =>
    void logged.push(`${message} ${inspect(fields, { depth: 9 })}`);
  real = await startRealBackend({
    exits: { countries, proxies, required: false },
    allow: [`127.0.0.1:${place.port}`],
    resolve: async (name) => [{ address: name === 'shop.example' ? shopAddress : '127.0.0.1', family: 4 }],
    hostLog: { info: keep, warn: keep },
  });
});
afterAll(async () => {
  await real.stop();
  await Promise.all([german.close(), japanese.close(), shop.close(), place.close()]);
});

/** Runs work in a browser through a Playwright client, and disconnects. */
async function within<T>(cdpUrl: string, work: (context: BrowserContext) => Promise<T>): Promise<T> {
  const browser = await chromium.connectOverCDP(cdpUrl);
  try {
    const [context] = browser.contexts();
    if (context === undefined) throw new Error('no context');
    return await work(context);
  } finally {
    await browser.close();
  }
}

async function usedMb(id: string): Promise<number> {
  return Number((await real.v4.call('GET', `/browsers/${id}`)).body['proxyUsedMb']);
}

describe.each([
  { country: 'de', proxy: () => german },
  { country: 'jp', proxy: () => japanese },
])('a browser of $country', ({ country, proxy }) => {
  it('leaves only through the proxy of its country, is metered, and reveals no credentials', async () => {
    const before = proxy().targets.length;
    const { id, cdpUrl } = await real.browser({ proxyCountryCode: country });
    await within(cdpUrl, async (context) => {
      const page = await context.newPage();
      // The requests that Chromium itself makes at its start reach no proxy and cost nothing.
      expect([await usedMb(id), proxy().targets.slice(before)]).toEqual([0, []]);
      await page.goto(`http://shop.example:${shopPort}/large`);
      await expect.poll(() => usedMb(id), { timeout: settledMs }).toBeGreaterThan(0.28);
    });
    expect(new Set(proxy().targets.slice(before))).toEqual(new Set([`${shopAddress}:${shopPort}`]));
    const [{ pid } = { pid: 0 }] = await real.processes();
    const record = await real.v4.call('GET', `/browsers/${id}`);
    const kept = readdirSync(real.dataFolder).filter((name) => name.startsWith('svc.sqlite'));
    const shown = [
      record,
      logged,
      await commandLine(pid),
      ...kept.map((name) => readFileSync(join(real.dataFolder, name), 'latin1')),
    ];
    for (const word of [account.password, encodeURIComponent(account.password), String(proxy().port)])
      expect(JSON.stringify(shown)).not.toContain(word);
    const { body } = await real.v4.call('PATCH', `/browsers/${id}`, { action: 'stop' });
    expect(Number(body['proxyUsedMb'])).toBeGreaterThan(0.28);
    expect(Number(body['proxyUsedMb'])).toBeLessThan(0.4);
  });

  it('leaves through it again with every new Chromium, and in contexts of clients', async () => {
    const { id, cdpUrl } = await real.browser({ proxyCountryCode: country });
    for (const { pid } of await real.processes()) process.kill(-pid, 'SIGKILL');
    await expect.poll(() => real.folders(), { timeout: settledMs }).toEqual([]);
    const before = proxy().targets.length;
    await within(cdpUrl, async (context) => {
      const own = await context.browser()?.newContext({ viewport: null });
      const page = await own?.newPage();
      await page?.goto(`http://shop.example:${shopPort}/`);
      expect(await page?.title()).toBe('Shop');
    });
    expect(proxy().targets.slice(before)).toContain(`${shopAddress}:${shopPort}`);
    await real.v4.call('PATCH', `/browsers/${id}`, { action: 'stop' });
  });
});

it.each([
  { country: null, isMetered: false },
  { country: 'br', isMetered: true },
  { country: 'fr', isMetered: true },
])(
  'a browser of $country leaves by the network of the machine, metered: $isMetered',
  async ({ country, isMetered }) => {
    const before = german.targets.length + japanese.targets.length;
    const { id, cdpUrl } = await real.browser({ proxyCountryCode: country });
    await within(cdpUrl, async (context) => {
      await (await context.newPage()).goto(`http://localhost:${place.port}/`);
    });
    const { body } = await real.v4.call('PATCH', `/browsers/${id}`, { action: 'stop' });
    expect(Number(body['proxyUsedMb']) > 0).toBe(isMetered);
    expect(german.targets.length + japanese.targets.length).toBe(before);
  },
);

interface Seen {
  readonly page: string;
  readonly worker: string;
  readonly serviceWorker: string;
  readonly frame: string;
  readonly position: string;
}

async function lookFrom(page: Page): Promise<Seen> {
  await page.goto(`http://localhost:${place.port}/place`);
  const handle = await page.waitForFunction<Seen>('window.seen');
  return handle.jsonValue();
}

async function position(page: Page): Promise<string> {
  return page.evaluate<string>(`new Promise((resolve) => navigator.geolocation.getCurrentPosition(
    ({ coords }) => resolve(coords.latitude + ' ' + coords.longitude), ({ code }) => resolve('error ' + code)))`);
}

/**
 * Returns the locale in which Chromium formats numbers: `language` (such as `de-DE`) if Chromium has its language pack,
 * else the part before the hyphen (`de`) if Chromium has that pack, else `en-US`. Returns `language` if the packs are
 * unknown.
 */
async function readNumberForm(language: string): Promise<string> {
  const packs = await languagePacks((await findChromium()).path);
  if (packs === null) return language;
  return [language, language.split('-', 1)[0]].find((name) => packs.includes(String(name))) ?? 'en-US';
}

describe.each([
  { country: 'de', language: 'de-DE', zone: 'Europe/Berlin 1', at: '52.52 13.41' },
  { country: 'jp', language: 'ja-JP', zone: 'Asia/Tokyo 9', at: '35.68 139.69' },
  { country: 'br', language: 'pt-BR', zone: 'America/Sao_Paulo 21', at: '-15.79 -47.88' },
])('pages of $country', ({ country, language, zone, at }) => {
  it('stand there, for every client, tab, context, frame, worker and server', async () => {
    const seen = `${language} ${language} ${await readNumberForm(language)} ${zone}`;
    const { id, cdpUrl } = await real.browser({ proxyCountryCode: country });
    const before = place.languages().length;
    const all = { page: seen, worker: seen, serviceWorker: seen, frame: seen };
    await within(cdpUrl, async (context) => {
      await context.grantPermissions(['geolocation']);
      const [first] = context.pages();
      if (first !== undefined) expect(await lookFrom(first)).toEqual({ ...all, position: at });
      expect(await lookFrom(await context.newPage())).toEqual({ ...all, position: at });
      const own = await context.browser()?.newContext({ viewport: null });
      // A page without permission receives no position, as in every browser.
      const page = await own?.newPage();
      if (page !== undefined) expect(await lookFrom(page)).toEqual({ ...all, position: 'error 1' });
    });
    // Chrome adds the language without a country with a lower weight.
    const firsts = place.languages().map((header) => header.split(',', 1)[0]);
    expect(new Set(firsts.slice(before))).toEqual(new Set([language]));
    await real.v4.call('PATCH', `/browsers/${id}`, { action: 'stop' });
  });
});

it('a client may put its pages elsewhere, until it takes that back or leaves', async () => {
  const { cdpUrl } = await real.browser({ proxyCountryCode: 'br' });
  const brasilia = '-15.79 -47.88';
  await within(cdpUrl, async (context) => {
    await context.grantPermissions(['geolocation']);
    const page = context.pages()[0] ?? (await context.newPage());
    await page.goto(`http://localhost:${place.port}/`);
    await within(cdpUrl, async (other) => {
      const same = other.pages()[0];
      if (same === undefined) throw new Error('the other client sees no page');
      const session = await other.newCDPSession(same);
      await session.send('Emulation.setGeolocationOverride', { latitude: 1, longitude: 2, accuracy: 1 });
      expect(await position(page)).toBe('1 2');
      await session.send('Emulation.clearGeolocationOverride');
      expect(await position(page)).toBe(brasilia);
      await session.send('Emulation.setGeolocationOverride', { latitude: 3, longitude: 4, accuracy: 1 });
      expect(await position(page)).toBe('3 4');
    });
    await expect.poll(() => position(page), { timeout: settledMs }).toBe(brasilia);
  });
});
