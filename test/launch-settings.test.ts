import { afterEach, beforeEach, expect, it } from 'vitest';
import type { BrowserHost, LaunchOptions } from '#backend/browsers/host.ts';
import { createSimulatedHost } from '#backend/browsers/index.ts';
import type { JsonObject } from '#domain/json.ts';
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

/** A host of simulated browsers that writes down what each was asked to be. */
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

it.each<[Version, string, JsonObject, LaunchOptions['screen']]>([
  ['v2', '/sessions', sides, whole],
  ['v2', '/sessions', { browserScreenHeight: 602 }, { width: 1280, height: 602 }],
  ['v2', '/tasks', { task, sessionSettings: sides }, whole],
  ['v2', '/tasks', { task, sessionSettings: { browserScreenWidth: 801 } }, { width: 801, height: 800 }],
  ['v3', '/sessions', sides, whole],
  ['v3', '/sessions', {}, { width: 1280, height: 800 }],
  ['v4', '/runs', { task, browserSettings: runSides }, whole],
  ['v4', '/runs', { task, browserSettings: { screenWidth: 801 } }, { width: 801, height: 800 }],
  ['v4', '/browsers', sides, whole],
  ['v4', '/browsers', { browserScreenHeight: 602 }, { width: 1280, height: 602 }],
])('%s POST %s %j starts a browser of that size', async (version, path, body, screen) => {
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

it('a follow-up of a V4 run keeps the side that it does not name for the next browser', async () => {
  const first = await create('v4', '/runs', { task, browserSettings: runSides });
  const v4 = createApiClient(started.address, undefined, 'v4');
  await v4.until(String(first['id']), ({ status }) => status === 'completed');
  started.clock.advance(1_200_001);
  const followUp = { task, sessionId: String(first['sessionId']), browserSettings: { screenHeight: 703 } };
  await create('v4', '/runs', followUp);
  await expect.poll(() => launched.map(({ screen }) => screen)).toEqual([whole, { width: 801, height: 703 }]);
});
