import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { createSimulatedHost } from '#browsers/index.ts';
import type { JsonObject } from '#lib/json.ts';
import { type RuleBook, defaultRules } from '#contract/rule-book.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { createGatedHost } from './support/gated-host.ts';
import { connectRaw } from './support/raw-cdp.ts';
import { type BackendChanges, type StartedBackend, otherKey, startBackend } from './support/start-backend.ts';

const minute = 60_000;
const hour = 60 * minute;

let running: StartedBackend;
let v4: ApiClient;
afterEach(() => running.stop());

async function start(changes: BackendChanges = {}): Promise<void> {
  running = await startBackend(changes);
  v4 = createApiClient(running.address, undefined, 'v4');
}

async function create(body: JsonObject = {}): Promise<JsonObject & { id: string; cdpUrl: string }> {
  const created = await v4.call('POST', '/browsers', body);
  expect(created.status).toBe(201);
  return { ...created.body, id: String(created.body['id']), cdpUrl: String(created.body['cdpUrl']) };
}

function stop(id: string): Promise<{ status: number; body: JsonObject }> {
  return v4.call('PATCH', `/browsers/${id}`, { action: 'stop' });
}

function ageMs(browser: JsonObject, member: string): number {
  return Date.parse(String(browser[member])) - Date.parse(String(browser['startedAt']));
}

/** Returns the default rules with another value for one limit. */
function withLimit(name: string, value: number): RuleBook {
  const rows = defaultRules.limits.limits.map((row) => (row.limit === name ? { ...row, value } : row));
  return { ...defaultRules, limits: { ...defaultRules.limits, limits: rows } };
}

describe('a standalone browser', () => {
  it('is shown with what it was given, and costs its first period at once', async () => {
    await start();
    const browser = await create({ metadata: { job: 'nightly' }, proxyCountryCode: null, timeout: 30 });
    expect(browser).toMatchObject({
      status: 'active',
      finishedAt: null,
      browserCost: '0.01',
      proxyUsedMb: '0',
      proxyCost: '0',
      agentSessionId: null,
      recordingUrl: null,
      metadata: { job: 'nightly' },
    });
    expect(browser.cdpUrl).toMatch(
      new RegExp(`^${running.address.replace('http', 'ws')}/devtools/browser/[A-Za-z0-9_-]{32}$`),
    );
    expect(ageMs(browser, 'timeoutAt')).toBe(30 * minute);
    expect((await v4.call('GET', `/browsers/${browser.id}`)).body).toEqual({ ...browser, recordingAvailable: false });
  });

  it('renews its period until it is stopped, and then costs what it used', async () => {
    await start();
    const { id } = await create();
    running.clock.advance(2 * hour + 10 * minute);
    const active = (await v4.call('GET', `/browsers/${id}`)).body;
    expect([active['status'], active['browserCost'], ageMs(active, 'timeoutAt')]).toEqual(['active', '0.06', 3 * hour]);
    const stopped = (await stop(id)).body;
    expect([stopped['browserCost'], ageMs(stopped, 'timeoutAt')]).toEqual(['0.043667', 3 * hour]);
    running.clock.advance(hour);
    expect((await v4.call('GET', `/browsers/${id}`)).body).toEqual(stopped);
  });

  it('is stopped once, by any number of requests', async () => {
    await start();
    const { id } = await create();
    const answers = await Promise.all([stop(id), stop(id), stop(id)]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    running.clock.advance(hour);
    expect(await stop(id)).toEqual(answers[0]);
    expect(answers[0]?.body).toMatchObject({ status: 'stopped', cdpUrl: null, liveUrl: null, browserCost: '0.000334' });
  });

  it('that was stopped while it started leaves nothing behind', async () => {
    const host = createGatedHost();
    await start({ host });
    const letGo = host.holdLaunches();
    const creating = v4.call('POST', '/browsers', {});
    const [browser] = await expect
      .poll(async () => (await v4.call('GET', '/browsers')).body['items'] as JsonObject[])
      .toHaveLength(1)
      .then(async () => (await v4.call('GET', '/browsers')).body['items'] as JsonObject[]);
    const stopping = stop(String(browser?.['id']));
    await expect
      .poll(async () => (await v4.call('GET', '/browsers')).body['items'])
      .toMatchObject([{ status: 'stopped' }]);
    letGo();
    expect((await stopping).body).toMatchObject({ status: 'stopped' });
    expect((await creating).body).toMatchObject({ status: 'stopped', cdpUrl: expect.any(String) });
    expect(host.alive.size).toBe(0);
  });

  it('that was being started when the service ended was not started, and its caller is told', async () => {
    const host = createGatedHost();
    const dataFolder = mkdtempSync(join(tmpdir(), 'svc-closing-'));
    await start({ host, dataFolder });
    const release = host.holdLaunches();
    const creating = v4.call('POST', '/browsers', {});
    await expect.poll(async () => (await v4.call('GET', '/browsers')).body['items']).toHaveLength(1);
    const stopped = running.stop();
    // A service that has begun to close answers 503.
    await expect.poll(async () => (await fetch(`${running.address}/healthz`)).status).toBe(503);
    release();
    expect(await creating).toMatchObject({
      status: 503,
      body: { detail: expect.stringContaining('nothing is billed') },
    });
    await stopped;
    await start({ dataFolder });
    expect((await v4.call('GET', '/browsers')).body['items']).toMatchObject([{ status: 'stopped', browserCost: '0' }]);
    expect(host.alive.size).toBe(0);
    rmSync(dataFolder, { recursive: true, force: true });
  });

  it('that is opened at the moment of its stop leaves nothing behind', async () => {
    const host = createGatedHost();
    await start({ host });
    for (let round = 0; round < 20; round += 1) {
      const { id, cdpUrl } = await create();
      const opening = connectRaw(cdpUrl).then(
        (client) => client.ended,
        () => 'refused',
      );
      await Promise.all([stop(id), opening]);
    }
    expect(host.alive.size).toBe(0);
  });

  it('that does not start is a 503, costs nothing and has ended', async () => {
    await start({ host: createSimulatedHost({ launchFailure: 'no Chromium here' }) });
    const refused = await v4.call('POST', '/browsers', {});
    expect(refused).toMatchObject({ status: 503, body: { detail: expect.stringContaining('try again') } });
    expect((await v4.call('GET', '/browsers')).body['items']).toMatchObject([{ status: 'stopped', browserCost: '0' }]);
  });

  it('survives its Chromium and the service: the address stays, the next connection gets another', async () => {
    const host = createSimulatedHost();
    const launched: string[] = [];
    const watched = {
      ...host,
      launch: (options: Parameters<typeof host.launch>[0]) => {
        launched.push(options.sessionId);
        return host.launch(options);
      },
    };
    await start({ host: watched });
    const { id, cdpUrl } = await create();
    const client = await connectRaw(cdpUrl);
    host.crash(launched[0] ?? '');
    expect(await client.ended).toMatchObject({ code: 1001 });
    const clients = await Promise.all([connectRaw(cdpUrl), connectRaw(cdpUrl)]);
    expect(launched).toHaveLength(2);
    for (const each of clients) each.close();
    expect((await v4.call('GET', `/browsers/${id}`)).body).toMatchObject({ status: 'active', cdpUrl });
  });

  it('counts with sessions towards the limit of the project', async () => {
    await start({ activeSessionsMax: 2 });
    const v3 = createApiClient(running.address);
    const { id } = await create();
    expect((await v3.call('POST', '/sessions', {})).status).toBe(200);
    for (const refused of [await v4.call('POST', '/browsers', {}), await v3.call('POST', '/sessions', {})])
      expect(refused).toMatchObject({ status: 429, body: { detail: expect.stringContaining('2 of 2') } });
    await stop(id);
    await create();
  });

  it.each([
    [{ timeout: 241 }, 403, { detail: expect.stringContaining('240 minutes') }],
    [{ timeout: 0 }, 422, { detail: [{ loc: ['body', 'timeout'] }] }],
    [{ browserScreenWidth: 319 }, 422, { detail: [{ loc: ['body', 'browserScreenWidth'] }] }],
    [{ proxyCountryCode: 'xx' }, 422, { detail: [{ loc: ['body', 'proxyCountryCode'] }] }],
    [
      { metadata: { a: 1 } },
      422,
      { detail: expect.arrayContaining([expect.objectContaining({ loc: ['body', 'metadata', 'a'] })]) },
    ],
  ])('is refused for %j', async (body, status, answer) => {
    await start();
    expect(await v4.call('POST', '/browsers', body)).toMatchObject({ status, body: answer });
    expect((await v4.call('GET', '/browsers')).body['totalItems']).toBe(0);
  });

  it('is seen by its project alone', async () => {
    await start();
    const { id } = await create();
    const stranger = createApiClient(running.address, otherKey, 'v4');
    for (const answer of [
      await stranger.call('GET', `/browsers/${id}`),
      await stranger.call('PATCH', `/browsers/${id}`, { action: 'stop' }),
      await v4.call('GET', '/browsers/00000000-0000-4000-8000-000000000000'),
    ])
      expect(answer).toEqual({ status: 404, body: { detail: 'Session not found' } });
    expect((await stranger.call('GET', '/browsers')).body['totalItems']).toBe(0);
    expect((await v4.call('PATCH', `/browsers/${id}`, { action: 'pause' })).status).toBe(422);
    expect((await v4.call('GET', `/browsers/${id}`)).body['status']).toBe('active');
  });

  it('stands in pages, newest first, filtered by status', async () => {
    await start();
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      ids.unshift((await create()).id);
      running.clock.advance(1);
    }
    await stop(ids[1] ?? '');
    const page = async (query: string): Promise<unknown> => {
      const { body } = await v4.call('GET', `/browsers?${query}`);
      return { ids: (body['items'] as JsonObject[]).map((item) => item['id']), total: body['totalItems'] };
    };
    expect(await page('pageSize=2')).toEqual({ ids: ids.slice(0, 2), total: 3 });
    expect(await page('pageSize=2&pageNumber=2')).toEqual({ ids: ids.slice(2), total: 3 });
    expect(await page('filterBy=active')).toEqual({ ids: [ids[0], ids[2]], total: 2 });
    expect(await page('filterBy=stopped')).toEqual({ ids: [ids[1]], total: 1 });
    expect((await v4.call('GET', '/browsers?filterBy=gone')).status).toBe(422);
  });

  it('can be connected to when it is simulated, and says what is not', async () => {
    await start();
    const { cdpUrl } = await create();
    const client = await connectRaw(cdpUrl);
    expect(await client.result('Browser.getVersion')).toMatchObject({ product: expect.stringContaining('Simulated') });
    expect(await client.call('Page.enable')).toMatchObject({
      error: { message: expect.stringContaining('simulated') },
    });
    const version = await (await fetch(`${cdpUrl.replace(/^ws/, 'http')}/json/version`)).json();
    expect(version).toMatchObject({ webSocketDebuggerUrl: cdpUrl });
    expect(await client.call('Browser.close')).toMatchObject({ result: {} });
    expect(await client.ended).toMatchObject({ code: 1000 });
  });

  it('takes a limited number of clients, and another one when one has left', async () => {
    await start({ rules: withLimit('cdpClients', 2) });
    const { cdpUrl } = await create();
    const clients = [await connectRaw(cdpUrl), await connectRaw(cdpUrl)];
    await expect(connectRaw(cdpUrl)).rejects.toThrow('429');
    const [, refusal] = await once(new WebSocket(cdpUrl), 'unexpected-response');
    expect(refusal.headers['retry-after']).toBe('2');
    clients[0]?.close();
    await clients[0]?.ended;
    // The service may notice the closed connection a moment later than the test.
    const another = await vi.waitFor(() => connectRaw(cdpUrl));
    expect(await another.result('Browser.getVersion')).toHaveProperty('product');
  });

  it('that cannot be restarted is a 503 for a connecting client and stays alive', async () => {
    const host = createSimulatedHost();
    const launched: string[] = [];
    let broken = false;
    const launch: typeof host.launch = (options) => {
      launched.push(options.sessionId);
      return broken ? Promise.reject(new Error('no room')) : host.launch(options);
    };
    await start({ host: { ...host, launch } });
    const { id, cdpUrl } = await create();
    const client = await connectRaw(cdpUrl);
    broken = true;
    host.crash(launched[0] ?? '');
    await client.ended;
    await expect(connectRaw(cdpUrl)).rejects.toThrow('503');
    expect((await fetch(`${cdpUrl.replace(/^ws/, 'http')}/json/version`)).status).toBe(503);
    broken = false;
    (await connectRaw(cdpUrl)).close();
    expect((await v4.call('GET', `/browsers/${id}`)).body['status']).toBe('active');
  });

  it('is closed towards its clients when the service ends, and found again at the next start', async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'svc-again-'));
    await start({ dataFolder });
    const { id, cdpUrl } = await create();
    const client = await connectRaw(cdpUrl);
    await running.stop();
    expect(await client.ended).toEqual({ code: 1001, reason: 'service shutting down' });
    await start({ dataFolder });
    expect((await v4.call('GET', `/browsers/${id}`)).body).toMatchObject({ status: 'active', finishedAt: null });
    const again = await connectRaw(`${running.address.replace('http', 'ws')}${new URL(cdpUrl).pathname}`);
    expect(await again.result('Browser.getVersion')).toHaveProperty('product');
    again.close();
    rmSync(dataFolder, { recursive: true });
  });
});
