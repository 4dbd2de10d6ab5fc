import { afterEach, beforeEach, expect, it } from 'vitest';
import type { BrowserHost, LaunchOptions } from '#browsers/host.ts';
import { createSimulatedHost } from '#browsers/index.ts';
import { fitsWarm } from '#browsers/launch/warm-launches.ts';
import { defaultLaunch } from '#contract/screen.ts';
import type { JsonObject } from '#lib/json.ts';
import { createApiClient } from './support/api-client.ts';
import { type StartedBackend, startBackend } from './support/start-backend.ts';

type Version = 'v2' | 'v3' | 'v4';

let launched: LaunchOptions[];
let started: StartedBackend;

beforeEach(async () => {
  launched = [];
  started = await startBackend({ host: recordingHost() });
});
afterEach(() => started.stop());

/** Creates a host of simulated browsers that records the options of each launch. */
function recordingHost(): BrowserHost {
  const host = createSimulatedHost();
  return {
    ...host,
    launch: (options) => {
      launched.push(options);
      return host.launch(options);
    },
  };
}

async function create(version: Version, path: string, body: JsonObject): Promise<JsonObject> {
  const answer = await createApiClient(started.address, undefined, version).call('POST', path, body);
  if (answer.status >= 300) throw new Error(JSON.stringify(answer));
  return answer.body;
}

async function launch(version: Version, path: string, body: JsonObject): Promise<LaunchOptions> {
  await create(version, path, body);
  await expect.poll(() => launched.length).toBe(1);
  const [options] = launched;
  if (options === undefined) throw new Error('no browser was started');
  return options;
}

const task = 'Say hello';
const sides = { browserScreenWidth: 801, browserScreenHeight: 602 };
const runSides = { screenWidth: 801, screenHeight: 602 };
const whole = { width: 801, height: 602 };

interface Wanted {
  readonly place: readonly [Version, string];
  readonly body: JsonObject;
  readonly screen: LaunchOptions['screen'];
}

it.each<Wanted>([
  { place: ['v2', '/sessions'], body: sides, screen: whole },
  { place: ['v2', '/sessions'], body: { browserScreenHeight: 602 }, screen: { width: 1280, height: 602 } },
  { place: ['v2', '/tasks'], body: { task, sessionSettings: sides }, screen: whole },
  {
    place: ['v2', '/tasks'],
    body: { task, sessionSettings: { browserScreenWidth: 801 } },
    screen: { width: 801, height: 800 },
  },
  { place: ['v3', '/sessions'], body: sides, screen: whole },
  { place: ['v3', '/sessions'], body: {}, screen: { width: 1280, height: 800 } },
  { place: ['v4', '/runs'], body: { task, browserSettings: runSides }, screen: whole },
  {
    place: ['v4', '/runs'],
    body: { task, browserSettings: { screenWidth: 801 } },
    screen: { width: 801, height: 800 },
  },
  { place: ['v4', '/browsers'], body: sides, screen: whole },
  { place: ['v4', '/browsers'], body: { browserScreenHeight: 602 }, screen: { width: 1280, height: 602 } },
])('$place $body starts a browser of that size', async ({ place: [version, path], body, screen }) => {
  expect((await launch(version, path, body)).screen).toEqual(screen);
});

it.each<[Version, string, (proxyCountryCode: string | null) => JsonObject]>([
  ['v2', '/sessions', (proxyCountryCode) => ({ proxyCountryCode })],
  ['v2', '/tasks', (proxyCountryCode) => ({ task, sessionSettings: { proxyCountryCode } })],
  ['v3', '/sessions', (proxyCountryCode) => ({ proxyCountryCode })],
  ['v4', '/runs', (proxyCountryCode) => ({ task, browserSettings: { proxyCountryCode } })],
  ['v4', '/browsers', (proxyCountryCode) => ({ proxyCountryCode })],
])('%s POST %s has the country that it names, us by default, none for null', async (version, path, body) => {
  const base = path === '/tasks' || path === '/runs' ? { task } : {};
  for (const [wanted, country] of [
    [body('de'), 'de'],
    [body(null), null],
    [base, 'us'],
  ] as const) {
    launched = [];
    expect((await launch(version, path, wanted)).proxyCountryCode).toBe(country);
  }
});

it.each<[Version, string, JsonObject]>([
  ['v2', '/sessions', {}],
  ['v2', '/tasks', { task }],
  ['v3', '/sessions', {}],
  ['v4', '/runs', { task }],
  ['v4', '/browsers', {}],
])('%s POST %s with nothing named wants what is kept ready', async (version, path, body) => {
  expect(fitsWarm({ ...defaultLaunch, sessionId: 'kept' }, await launch(version, path, body))).toBe(true);
});

it('a follow-up of a V4 run keeps the side that it does not name for the next browser', async () => {
  const first = await create('v4', '/runs', { task, browserSettings: runSides });
  const v4 = createApiClient(started.address, undefined, 'v4');
  await v4.until(String(first['id']), ({ status }) => status === 'completed');
  started.clock.advance(1_200_001);
  const followUp = { task, sessionId: String(first['sessionId']), browserSettings: { screenHeight: 703 } };
  await create('v4', '/runs', followUp);
  await expect.poll(() => launched.map(({ screen }) => screen)).toEqual([whole, { width: 801, height: 703 }]);
});
