import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SimulatedHost, createSimulatedHost } from '#browsers/index.ts';
import type { JsonObject } from '#lib/json.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { connectRaw } from './support/raw-cdp.ts';
import { createScriptedAgent, waitForTask } from './support/scripted-agent.ts';
import { type StartedBackend, startBackend } from './support/start-backend.ts';

/** This file tests the profile states that browsers leave, and profiles that a browser uses. */

let started: StartedBackend;
let host: SimulatedHost;
let agent: ReturnType<typeof createScriptedAgent>;

beforeEach(async () => {
  host = createSimulatedHost();
  agent = createScriptedAgent();
  started = await startBackend({ agent, host });
});
afterEach(() => started.stop());

const api = (version: 'v2' | 'v3' | 'v4'): ApiClient => createApiClient(started.address, undefined, version);
const blobs = (): string[] => readdirSync(join(started.dataFolder, 'blobs'));

async function newProfile(): Promise<string> {
  return String((await api('v4').call('POST', '/profiles', {})).body['id']);
}

const shown = async (id: string): Promise<unknown> =>
  (await api('v3').call('GET', `/profiles/${id}`)).body['cookieDomains'];

interface Browser {
  readonly id: string;
  readonly cdpUrl: string;
}

async function browserWith(profileId: string): Promise<Browser> {
  const { status, body } = await api('v4').call('POST', '/browsers', { profileId });
  expect({ status, body }).toMatchObject({ status: 201 });
  return { id: String(body['id']), cdpUrl: String(body['cdpUrl']) };
}

async function over(browser: Browser, method: string, params: JsonObject = {}): Promise<JsonObject> {
  const client = await connectRaw(browser.cdpUrl);
  const result = await client.result(method, params);
  client.close();
  return result;
}

const stop = (browser: Browser): Promise<unknown> =>
  api('v4').call('PATCH', `/browsers/${browser.id}`, { action: 'stop' });

const cookie = (name: string, domain: string, more: JsonObject = {}): JsonObject => ({
  name,
  value: 'x',
  domain,
  ...more,
});

async function names(browser: Browser): Promise<unknown[]> {
  const { cookies } = await over(browser, 'Storage.getCookies');
  return (cookies as JsonObject[]).map(({ name }) => name);
}

/** Stores a cookie in a profile with a browser. */
async function leave(profileId: string, name: string): Promise<void> {
  const browser = await browserWith(profileId);
  await over(browser, 'Storage.setCookies', { cookies: [cookie(name, '.shop.example')] });
  await stop(browser);
}

function inUseBy(holder: string): JsonObject {
  const detail = `The profile is used by ${holder}: stop that session or browser first, or take another profile`;
  return { status: 409, body: { detail } };
}

describe('what a browser leaves', () => {
  it('is there in the next browser with the profile and in no other, and the profile shows whose cookies it has', async () => {
    const [mine, other] = [await newProfile(), await newProfile()];
    const first = await browserWith(mine);
    const cookies = [cookie('a', '.shop.example'), cookie('b', 'app.example', { expires: 4_000_000_000 })];
    await over(first, 'Storage.setCookies', { cookies });
    expect(await shown(mine)).toBeNull();
    await stop(first);
    expect(await shown(mine)).toEqual(['app.example', 'shop.example']);
    expect(await names(await browserWith(mine))).toEqual(['a', 'b']);
    expect(await names(await browserWith(other))).toEqual([]);
    expect(await shown(other)).toBeNull();
  });

  it('lies sealed in one blob, which is replaced each time and goes with the profile', async () => {
    const id = await newProfile();
    await leave(id, 'first');
    const [blob] = blobs();
    await leave(id, 'second');
    const after = blobs();
    expect(after).toHaveLength(1);
    expect(after).not.toEqual([blob]);
    expect((await api('v2').call('DELETE', `/profiles/${id}`)).status).toBe(204);
    expect(blobs()).toEqual([]);
  });

  it('is not kept for a profile that was deleted meanwhile', async () => {
    const id = await newProfile();
    const browser = await browserWith(id);
    await api('v4').call('DELETE', `/profiles/${id}`);
    await stop(browser);
    expect(blobs()).toEqual([]);
    expect(await started.backend.db.selectFrom('profile_leases').selectAll().execute()).toEqual([]);
    expect(await started.backend.db.selectFrom('loose_blobs').selectAll().execute()).toEqual([]);
  });

  it('after a crash is what a disk would hold, in the next process of the same browser', async () => {
    const id = await newProfile();
    const launched: string[] = [];
    const launch = host.launch.bind(host);
    host.launch = (options) => {
      launched.push(options.sessionId);
      return launch(options);
    };
    const browser = await browserWith(id);
    const cookies = [cookie('lasting', 'shop.example', { expires: 4_000_000_000 }), cookie('session', 'shop.example')];
    await over(browser, 'Storage.setCookies', { cookies });
    host.crash(launched[0] ?? '');
    expect(await names(browser)).toEqual(['lasting']);
    expect(await shown(id)).toBeNull();
  });

  it('is found again by the next service', async () => {
    const id = await newProfile();
    const browser = await browserWith(id);
    await over(browser, 'Storage.setCookies', { cookies: [cookie('a', 'shop.example')] });
    const { dataFolder } = started;
    // The test ends the service itself, so that its folder stays.
    await started.backend.close();
    const second = await startBackend({ dataFolder });
    const again = {
      id: browser.id,
      cdpUrl: `${second.address.replace('http', 'ws')}${new URL(browser.cdpUrl).pathname}`,
    };
    expect(await names(again)).toEqual(['a']);
    const v4 = createApiClient(second.address, undefined, 'v4');
    expect(await v4.call('POST', '/browsers', { profileId: id })).toEqual(inUseBy(browser.id));
    await second.stop();
  });
});

describe('a profile in use', () => {
  it('is refused to everybody else, with the name of the holder, until the holder has gone', async () => {
    const profileId = await newProfile();
    const holder = await browserWith(profileId);
    const attempts: ['v2' | 'v3' | 'v4', string, JsonObject, string][] = [
      ['v2', '/sessions', { profileId }, 'items'],
      ['v2', '/tasks', { task: 'x', sessionSettings: { profileId } }, 'items'],
      ['v3', '/sessions', { task: 'x', profileId }, 'sessions'],
      ['v4', '/runs', { task: 'x', browserSettings: { profileId } }, 'items'],
      ['v4', '/browsers', { profileId }, 'items'],
    ];
    for (const [version, path, body] of attempts)
      expect(await api(version).call('POST', path, body)).toEqual(inUseBy(holder.id));
    expect((await api('v3').call('GET', '/sessions')).body['sessions']).toEqual([]);
    expect((await api('v4').call('GET', '/browsers')).body['totalItems']).toBe(1);
    await stop(holder);
    expect((await api('v2').call('POST', '/sessions', { profileId })).status).toBe(201);
  });

  it('is one of one alone when many ask at the same moment', async () => {
    const profileId = await newProfile();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => api('v4').call('POST', '/browsers', { profileId })),
    );
    const statuses = answers.map(({ status }) => status);
    expect([201, 409].map((wanted) => statuses.filter((status) => status === wanted).length)).toEqual([1, 7]);
  });

  it('is free again when its browser did not start', async () => {
    const profileId = await newProfile();
    const launch = host.launch.bind(host);
    host.launch = () => Promise.reject(new Error('no room'));
    expect((await api('v4').call('POST', '/browsers', { profileId })).status).toBe(503);
    host.launch = launch;
    await browserWith(profileId);
  });

  it.each([
    { name: 'stopped', method: 'POST', path: '/stop' },
    { name: 'deleted', method: 'DELETE', path: '' },
  ])('is free again when the session that is kept alive with it is $name', async ({ method, path }) => {
    const profileId = await newProfile();
    const { body } = await api('v3').call('POST', '/sessions', { task: 'goal', profileId, keepAlive: true });
    const id = String(body['id']);
    expect(await api('v4').call('POST', '/browsers', { profileId })).toEqual(inUseBy(id));
    (await waitForTask(agent, 'goal')).finish({ success: true, output: 'done' });
    await expect.poll(async () => (await api('v3').call('GET', `/sessions/${id}`)).body['status']).toBe('idle');
    expect(await api('v4').call('POST', '/browsers', { profileId })).toEqual(inUseBy(id));
    await api('v3').call(method, `/sessions/${id}${path}`, {});
    await browserWith(profileId);
  });

  it('is free again as soon as a session is seen to have ended', async () => {
    const profileId = await newProfile();
    const { body } = await api('v3').call('POST', '/sessions', { task: 'goal', profileId });
    (await waitForTask(agent, 'goal')).finish({ success: true, output: 'done' });
    const status = async (): Promise<unknown> =>
      (await api('v3').call('GET', `/sessions/${String(body['id'])}`)).body['status'];
    await expect.poll(status, { interval: 1 }).toBe('stopped');
    await browserWith(profileId);
  });

  it('is given up by a browser that only lingers for the next run, which takes it again', async () => {
    const profileId = await newProfile();
    await leave(profileId, 'a');
    const { body } = await api('v4').call('POST', '/runs', { task: 'one', browserSettings: { profileId } });
    const { sessionId = null } = body;
    (await waitForTask(agent, 'one')).finish({ success: true, output: 'done' });
    const status = async (): Promise<unknown> =>
      (await api('v4').call('GET', `/runs/${String(body['id'])}/status`)).body['status'];
    await expect.poll(status).toBe('completed');

    const browser = await browserWith(profileId);
    expect(await names(browser)).toEqual(['a']);
    expect(await api('v4').call('POST', '/runs', { task: 'two', sessionId })).toEqual(inUseBy(browser.id));
    await api('v4').call('POST', `/sessions/${String(sessionId)}/queue`, { text: 'queued' });
    const failed = async (): Promise<unknown> => (await api('v4').call('GET', '/runs?pageSize=1')).body;
    await expect.poll(async () => JSON.stringify(await failed())).toContain(`the profile is used by ${browser.id}`);
    await stop(browser);
    await api('v4').call('POST', '/runs', { task: 'three', sessionId });
    (await waitForTask(agent, 'three')).finish({ success: true, output: 'done' });
  });
});
