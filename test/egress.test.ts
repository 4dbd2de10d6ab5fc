import { type Socket, createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type BrowserContext, chromium } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findChromium } from '#browsers/launch/find-chromium.ts';
import type { ForwardProxy } from '#browsers/testing/start-http-proxy.ts';
import { startLeadingProxy } from '#browsers/testing/start-leading-proxy.ts';
import { parseProxies } from '#browsers/egress/proxy-file.ts';
import { createDataFile } from '#lib/testing/create-data-file.ts';
import type { JsonObject } from '#lib/json.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { forbiddenHosts, helpers, idleWays, insideNames, pageWays } from './support/egress-ways.ts';
import { type RawCdp, connectRaw } from './support/raw-cdp.ts';
import { type CountingServer, serveInside, serveSite } from './support/serve-egress.ts';
import { type RealBackend, startRealBackend } from './support/start-real-backend.ts';

/** Timeout of a test; real browsers are slow on a busy machine. */
const waitMs = 100_000;
const publicAddress = '93.184.215.14';
/**
 * First of a range of unused ports. The forward proxy of the test connects these ports of any host to the internal
 * server.
 */
const firstPort = 20_000;
/**
 * Names of the hosts that are tried with every script of `pageWays`. All other hosts are tried only with the scripts in
 * `fewWays`.
 */
const fewHosts = ['loopback', 'metadata', 'private, version 6', 'a name inside'];
const fewWays = ['fetch', 'frame', 'websocket'];

/** An attempt of a page to reach a host. Each attempt has its own port, which identifies it in logs and at servers. */
interface Try {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly script: string;
}

const pageTries: readonly Try[] = Object.entries(forbiddenHosts)
  .flatMap(([label, host]) =>
    Object.entries(pageWays)
      .filter(([way]) => fewHosts.includes(label) || fewWays.includes(way))
      .map(([way, script]) => ({ name: `${label} by ${way}`, host, script })),
  )
  .map((given, index) => ({ ...given, port: firstPort + index }));

const idleTries: readonly Try[] = Object.entries(idleWays).map(([name, script], index) => ({
  name,
  host: '127.0.0.1',
  port: firstPort + 4_000 + index,
  script,
}));

/** A service, the network that its browsers use, and the attempts that have arrived or were refused. */
interface World {
  readonly real: RealBackend;
  readonly network: ForwardProxy;
  /** Ports to which the service refused a connection. */
  readonly refused: ReadonlySet<number>;
  /** Ports of the network that received a connection. */
  arrived(): Set<number>;
  readonly lookups: readonly string[];
}

let site: CountingServer;
let inside: CountingServer;
let closed: World;
let open: World;

async function startWorld(allow: readonly string[]): Promise<World> {
  const refused = new Set<number>();
  const lookups: string[] = [];
  const network = await startLeadingProxy({ choosePort: ({ port }) => (port === site.port ? port : inside.port) });
  const text = `proxies: [{ countries: all, url: 'http://127.0.0.1:${network.port}' }]`;
  const { countries } = defaultRules;
  const codes = countries.countries.map(({ code }) => code);
  const proxies = parseProxies({ file: createDataFile(text, 'proxies.yaml'), environment: {}, codes });
  const real = await startRealBackend({
    exits: { countries, proxies, required: true },
    allow: [`127.0.0.1:${site.port}`, ...allow],
    resolve: async (name) => {
      lookups.push(name);
      // From the second look-up on, this name leads to an internal address.
      const isFirst = lookups.filter((other) => other === name).length === 1;
      const rebound = name.startsWith('rebind') ? [isFirst ? publicAddress : '10.0.0.9'] : ['127.0.0.1'];
      return (insideNames[name] ?? rebound).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
    hostLog: {
      info: (fields) => {
        const port: unknown = Reflect.get(fields, 'port');
        if (typeof port === 'number') refused.add(port);
      },
    },
  });
  const arrived = (): Set<number> =>
    new Set(network.targets.map((target) => Number(target.slice(target.lastIndexOf(':') + 1))));
  return { real, network, refused, arrived, lookups };
}

async function endWorld({ real, network }: World): Promise<void> {
  await real.stop();
  await network.close();
}

beforeAll(async () => {
  [site, inside] = await Promise.all([serveSite(), serveInside()]);
  closed = await startWorld([]);
  open = await startWorld(['0.0.0.0/0', '::/0']);
}, waitMs);
afterAll(async () => {
  await Promise.all([closed, open].map(endWorld));
  await Promise.all([site.close(), inside.close()]);
}, waitMs);

const worlds = [
  { name: 'by default nothing is reached', world: () => closed, isOpen: false },
  { name: 'where the operator allows it, it is reached', world: () => open, isOpen: true },
];

/**
 * If `isOpen` is true, waits until every attempt has arrived. Otherwise waits until the service has refused every
 * attempt, and expects that no attempt has arrived.
 */
async function settle(world: World, tries: readonly Omit<Try, 'script'>[], isOpen: boolean): Promise<void> {
  const wanted = (): ReadonlySet<number> => (isOpen ? world.arrived() : world.refused);
  const missing = (): string[] => tries.filter(({ port }) => !wanted().has(port)).map(({ name }) => name);
  await expect.poll(missing, { timeout: waitMs * 0.8, interval: 200 }).toEqual([]);
  const ports = new Set(tries.map(({ port }) => port));
  if (!isOpen) expect([...world.arrived()].filter((port) => ports.has(port))).toEqual([]);
}

describe.each(worlds)('from pages: $name', ({ world, isOpen }) => {
  it(
    'in every way, at every class of address',
    async () => {
      const { cdpUrl } = await world().real.browser();
      const browser = await chromium.connectOverCDP(cdpUrl);
      const [context] = browser.contexts();
      if (context === undefined) throw new Error('no context');
      await allowLocalNetworks(context);
      const page = await context.newPage();
      await page.goto(`http://localhost:${site.port}/`);
      const tries = [...idleTries, ...pageTries].map(({ host, port, script }) => {
        const place = JSON.stringify(`${host}:${port}`);
        return `try { ((place, url) => { ${script} })(${place}, 'http://' + ${place} + '/') } catch {}`;
      });
      await page.evaluate(`(async () => { ${helpers}\n${tries.join('\n')} })()`);
      await settle(world(), pageTries, isOpen);
      if (!isOpen) for (const { port } of idleTries) expect(world().arrived()).not.toContain(port);
      await browser.close();
    },
    waitMs,
  );
});

/**
 * Grants pages the permission to open local addresses. Otherwise Chromium's own protection would hide the protection
 * under test.
 */
async function allowLocalNetworks(context: BrowserContext): Promise<void> {
  await context.grantPermissions(['local-network-access']).catch(() => undefined);
}

/** Ways in which a DevTools client can open a URL. */
const clientWays: Readonly<Record<string, (client: RawCdp, page: string, url: string) => Promise<unknown>>> = {
  'Page.navigate': (client, page, url) => client.call('Page.navigate', { url }, page),
  'Target.createTarget': (client, _page, url) => client.call('Target.createTarget', { url }),
  'Runtime.evaluate': (client, page, url) =>
    client.call(
      'Runtime.evaluate',
      { expression: `fetch(${JSON.stringify(url)}, { mode: 'no-cors' }).catch(() => 0), 1` },
      page,
    ),
  'Network.loadNetworkResource': async (client, page, url) => {
    const { frameTree } = await client.result('Page.getFrameTree', {}, page);
    const frameId = Reflect.get(Object(Reflect.get(Object(frameTree), 'frame')), 'id') as string;
    const options = { disableCache: true, includeCredentials: false };
    return client.call('Network.loadNetworkResource', { frameId, url, options }, page);
  },
  'a context without proxy': async (client, _page, url) => {
    const wanted = { proxyServer: 'direct://', proxyBypassList: '*' };
    const { browserContextId = '' } = await client.result('Target.createBrowserContext', wanted);
    return client.call('Target.createTarget', { url, browserContextId });
  },
  'Fetch.continueRequest': (client, _page, url) =>
    rerouted(client, (requestId) => ['continueRequest', { requestId, url }]),
  'Fetch.fulfillRequest': (client, _page, url) =>
    rerouted(client, (requestId) => [
      'fulfillRequest',
      { requestId, responseCode: 302, responseHeaders: [{ name: 'location', value: url }] },
    ]),
};

/**
 * Opens the site in a new page, intercepts the page's request, and sends the Fetch command that `answer` returns for
 * this request.
 */
async function rerouted(client: RawCdp, answer: (requestId: string) => [string, JsonObject]): Promise<void> {
  const { targetId = '' } = await client.result('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await client.result('Target.attachToTarget', { targetId, flatten: true });
  const page = String(sessionId);
  const url = `http://localhost:${site.port}/`;
  // The pattern does not match the redirection target. Disabling the interception while Chromium follows a redirection
  // sometimes loses the request.
  await client.result('Fetch.enable', { patterns: [{ urlPattern: url }] }, page);
  const paused = client.event('Fetch.requestPaused', page);
  const navigated = client.call('Page.navigate', { url }, page);
  const [method, params] = answer(String(Reflect.get(Object((await paused)['params']), 'requestId')));
  // The connection must not end before both replies: the reply to the navigation comes last.
  await Promise.all([client.call(`Fetch.${method}`, params, page), navigated]);
}

const clientTries = Object.keys(clientWays).flatMap((way, index) =>
  ['127.0.0.1', 'inside.example'].map((host, second) => ({
    name: `${host} by ${way}`,
    way,
    host,
    port: firstPort + 2_000 + 2 * index + second,
  })),
);
/**
 * Attempts to load a resource with a DevTools command, one for each forbidden host. This command needs the least time.
 */
const resourceTries = Object.entries(forbiddenHosts).map(([name, host], index) => ({
  name,
  way: 'Network.loadNetworkResource',
  host,
  port: firstPort + 3_000 + index,
}));

describe.each(worlds)('over DevTools: $name', ({ world, isOpen }) => {
  it(
    'by every command that opens an address',
    async () => {
      const { cdpUrl } = await world().real.browser();
      const client = await connectRaw(cdpUrl);
      const page = await client.page();
      for (const { way, host, port } of [...resourceTries, ...clientTries])
        await clientWays[way]?.(client, page, `http://${host}:${port}/`);
      await settle(world(), [...clientTries, ...resourceTries], isOpen);
      client.close();
    },
    waitMs,
  );

  it(
    'by a library with a context and a proxy of its own',
    async () => {
      const { cdpUrl } = await world().real.browser();
      const browser = await chromium.connectOverCDP(cdpUrl);
      const before = inside.connections();
      const context = await browser.newContext({ proxy: { server: 'direct://', bypass: '*' }, viewport: null });
      const page = await context.newPage();
      // A real server listens on this port, so no redirection is needed.
      const place = { name: 'a server of this machine', host: '127.0.0.1', port: inside.port };
      await page.goto(`http://${place.host}:${place.port}/`).catch(() => undefined);
      await settle(world(), [place], isOpen);
      expect(inside.connections() - before > 0).toBe(isOpen);
      await browser.close();
    },
    waitMs,
  );
});

it(
  'a name that leads elsewhere at its second look-up is refused then, and was asked for at the judged address before',
  async () => {
    const { cdpUrl } = await closed.real.browser();
    const browser = await chromium.connectOverCDP(cdpUrl);
    const page = await browser.contexts()[0]?.newPage();
    const url = 'http://rebind.example:24999/';
    await page?.goto(url);
    expect(await page?.innerText('body')).toBe('inside');
    expect(closed.refused.has(24_999)).toBe(false);
    await page?.goto(`${url}again`).catch(() => undefined);
    expect(closed.refused.has(24_999)).toBe(true);
    expect(closed.network.targets.filter((target) => target.endsWith(':24999'))).toEqual([`${publicAddress}:24999`]);
    await browser.close();
  },
  waitMs,
);

describe('datagrams', () => {
  let udp: Socket;
  let packets = 0;
  beforeAll(async () => {
    udp = createSocket('udp4', () => (packets += 1)).bind(0, '127.0.0.1');
    await once(udp, 'listening');
  });
  afterAll(() => udp.close());
  beforeEach(() => {
    packets = 0;
  });

  /** Returns a script that gathers ICE candidates. The gathering also ends if the browser can send nothing. */
  const gather = (): string => `new Promise((done) => {
    const at = '127.0.0.1:${udp.address().port}';
    const turn = { urls: 'turn:' + at + '?transport=udp', username: 'u', credential: 'c' };
    const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:' + at }, turn] });
    peer.createDataChannel('x');
    peer.onicegatheringstatechange = () => peer.iceGatheringState === 'complete' && done('complete');
    void peer.createOffer().then((offer) => peer.setLocalDescription(offer));
  })`;

  it(
    'of WebRTC do not leave, whatever the operator allows',
    async () => {
      const { cdpUrl } = await open.real.browser();
      const browser = await chromium.connectOverCDP(cdpUrl);
      const page = await browser.contexts()[0]?.newPage();
      expect(await page?.evaluate(gather())).toBe('complete');
      expect(packets).toBe(0);
      await browser.close();
    },
    waitMs,
  );

  it(
    'do leave a Chromium without the flags, so that the test above could fail',
    async () => {
      const { path, environment } = await findChromium();
      const args = ['--no-sandbox'];
      const browser = await chromium.launch({
        executablePath: path,
        env: { PATH: '/usr/bin:/bin', ...environment },
        args,
      });
      const page = await browser.newPage();
      void page.evaluate(gather()).catch(() => undefined);
      await expect.poll(() => packets, { timeout: waitMs / 2 }).toBeGreaterThan(0);
      await browser.close();
    },
    waitMs,
  );
});
