import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseTarget, run } from '#conformance/index.ts';
import { countries } from '#conformance/areas/browsers/scenarios-egress.ts';
import { fakeConnectors } from '#conformance/testing/fake-connectors.ts';
import { parseProxies } from '#browsers/egress/proxy-file.ts';
import { createDataFile } from '#lib/testing/create-data-file.ts';
import { startLeadingProxy } from '#browsers/testing/start-leading-proxy.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { type PageServer, servePages } from '#browsers/testing/serve-pages.ts';
import { createScriptedHost } from './support/scripted-host.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';
import { type RealBackend, startRealBackend } from './support/start-real-backend.ts';

let checker: PageServer;
let real: RealBackend;
/**
 * A service with simulated browsers whose pages fetch the URL that is opened and do nothing else. This is enough for
 * tests of a checker whose answer has no country or no address.
 */
let scripted: StartedBackend;

beforeAll(async () => {
  checker = await servePages({ '/where': '{"seen": {"country": "US", "ip": "127.0.0.1"}}', '/code': ' us ' });
  real = await startRealBackend({ allow: [checker.host] });
  scripted = await startBackend({ host: createScriptedHost() });
});
afterAll(async () => {
  await scripted.stop();
  await real.stop();
  await checker.close();
});

const polled = { interval: 20, start: 20_000, settle: 5000 };
/** Timeouts in milliseconds, short because the awaited events never happen. */
const briefly = { interval: 3, start: 30, settle: 10 };

/**
 * Runs the suite against a service, and returns the verdicts with their reasons. Without proxies, browsers of every
 * country have the same public address.
 */
async function judge(
  checkers: string,
  target: StartedBackend,
  { interval, start, settle }: typeof polled = polled,
): Promise<readonly string[]> {
  const polling = `polling: { intervalMs: ${interval}, startDeadlineMs: ${start}, settleDeadlineMs: ${settle} }`;
  const report = await run({
    target: parseTarget({ url: target.address, text: `${polling}\ncheckers: ${checkers}\n` }),
    apiKey: testKey,
    spend: 'browser',
    only: ['V4-BROWSER-10', 'V4-BROWSER-11', 'SVC-05'],
    seed: 1,
    ...(target === scripted ? { connectors: fakeConnectors } : {}),
  });
  expect(report.left).toEqual([]);
  return report.requirements.map(({ id, verdict, reason }) => [id, verdict, reason].join(' ').trim()).toSorted();
}

it('a real browser opens the country checker, which sees through countries that are ignored', async () => {
  expect(
    await judge(`{ country: '${checker.origin}/where', countryIn: seen.country, addressIn: seen.ip }`, real),
  ).toEqual(['SVC-05 violation', 'V4-BROWSER-10 pass', 'V4-BROWSER-11 violation']);
});

it('a checker that answers the code alone shows no address', async () => {
  expect(await judge(`{ country: '${checker.origin}/code', countryIn: null, addressIn: null }`, scripted)).toEqual([
    'SVC-05 violation',
    'V4-BROWSER-10 pass',
    'V4-BROWSER-11 notTestable the country checker shows no address (checkers.addressIn)',
  ]);
});

it('a checker that cannot be reached shows nothing', async () => {
  const closed = await servePages({});
  await closed.close();
  const verdicts = await judge(`{ country: '${closed.origin}/where' }`, scripted, briefly);
  expect(verdicts.map((row) => row.split(' ').slice(1, 2))).toEqual([
    ['notTestable'],
    ['notTestable'],
    ['notTestable'],
  ]);
});

it('a service with a proxy for each country passes', async () => {
  const own = new AsyncDisposableStack();
  const rows: string[] = [];
  for (const code of ['us', ...countries]) {
    const shown = await servePages({
      '/where': JSON.stringify({ seen: { country: code, ip: `192.0.2.${rows.length}` } }),
    });
    const proxy = await startLeadingProxy({ choosePort: () => Number(new URL(shown.origin).port) });
    own.defer(() => shown.close());
    own.defer(() => proxy.close());
    rows.push(`{ countries: [${code}], url: 'http://127.0.0.1:${proxy.port}' }`);
  }
  const { countries: places } = defaultRules;
  const codes = places.countries.map(({ code }) => code);
  const proxies = parseProxies({
    file: createDataFile(`proxies: [${rows.join()}]`, 'proxies.yaml'),
    environment: {},
    codes,
  });
  const service = await startRealBackend({
    allow: [checker.host],
    exits: { countries: places, proxies, required: true },
  });
  own.defer(() => service.stop());
  try {
    const text = `{ country: '${checker.origin}/where', countryIn: seen.country, addressIn: seen.ip }`;
    expect(await judge(text, service)).toEqual(['SVC-05 pass', 'V4-BROWSER-10 pass', 'V4-BROWSER-11 pass']);
  } finally {
    await own.disposeAsync();
  }
});
