import { chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { bytesOfPictures } from './support/growing-videos.ts';
import { connectRaw } from './support/raw-cdp.ts';
import { type StartedBackend, otherKey, startBackend, testKey } from './support/start-backend.ts';
import { type RealBackend, startRealBackend } from './support/start-real-backend.ts';

const nobody = '4f5f9d2e-0000-4000-8000-000000000000';
const isEnded = ({ status }: JsonObject): boolean => ['completed', 'failed', 'cancelled'].includes(String(status));

let started: StartedBackend;
let v2: ApiClient;
let v4: ApiClient;

beforeEach(async () => {
  started = await startBackend();
  v2 = createApiClient(started.address, testKey, 'v2');
  v4 = createApiClient(started.address, testKey, 'v4');
});
afterEach(() => started.stop());

async function profile(client: ApiClient = v4): Promise<string> {
  return String((await client.call('POST', '/profiles', { name: 'mine' })).body['id']);
}

async function lastUse(id: string): Promise<unknown> {
  return (await v4.call('GET', `/profiles/${id}`)).body['lastUsedAt'];
}

describe('the list of browsers', () => {
  async function ids(query: string): Promise<unknown[]> {
    const { status, body } = await v4.call('GET', `/browsers?${query}`);
    expect(status).toBe(200);
    const items = body['items'] as JsonObject[];
    expect(body['totalItems']).toBe(items.length);
    return items.map(({ id }) => id);
  }

  it('is filtered by labels, which all have to hold', async () => {
    const made = async (metadata: JsonObject): Promise<unknown> =>
      (await v4.call('POST', '/browsers', { metadata })).body['id'];
    const a = await made({ job: 'nightly', team: 'blue' });
    const b = await made({ job: 'nightly', team: 'red', 'a.b"': 'x=y' });
    const c = await made({ job: '' });
    expect(await ids('metadata=job')).toEqual([c, b, a]);
    expect(await ids('metadata=job%3Dnightly')).toEqual([b, a]);
    expect(await ids('metadata=job%3D')).toEqual([c]);
    expect(await ids('metadata=job%3Dnightly&metadata=team%3Dblue')).toEqual([a]);
    expect(await ids(`metadata=${encodeURIComponent('a.b"=x=y')}`)).toEqual([b]);
    for (const none of ['Job', 'job%3Dnight', 'job%25', 'nightly', 'job&metadata=nothing'])
      expect([none, await ids(`metadata=${none}`)]).toEqual([none, []]);
    await v4.call('PATCH', `/browsers/${String(a)}`, { action: 'stop' });
    expect(await ids('metadata=job%3Dnightly&filterBy=active')).toEqual([b]);
    const other = createApiClient(started.address, otherKey, 'v4');
    expect((await other.call('GET', '/browsers?metadata=job')).body['totalItems']).toBe(0);
  });

  it('holds no browser of a session of the agent, and takes no malformed filter', async () => {
    await v4.call('POST', '/browsers', {});
    expect(await ids(`agentSessionId=${nobody}`)).toEqual([]);
    expect((await v4.call('GET', '/browsers?agentSessionId=x')).status).toBe(422);
    expect((await v4.call('GET', '/browsers?metadata=')).status).toBe(422);
    const many = Array.from({ length: 11 }, (_, index) => `metadata=k${index}`).join('&');
    expect((await v4.call('GET', `/browsers?${many}`)).status).toBe(422);
  });
});

it('a browser is created with every documented member, and says that there will be a recording', async () => {
  const given = { allowResizing: true, enableRecording: true, pdfRendererEnabled: false, solveCaptchas: false };
  const { status, body } = await v4.call('POST', '/browsers', { ...given, timeout: 240 });
  expect(status).toBe(201);
  const path = `/browsers/${String(body['id'])}`;
  expect((await v4.call('GET', path)).body).toMatchObject({ recordingAvailable: true, recordingUrl: null });
  // A browser that showed no picture before its stop has no recording.
  await expect.poll(() => bytesOfPictures(started.dataFolder).some((bytes) => bytes > 0)).toBe(true);
  expect((await v4.call('PATCH', path, { action: 'stop' })).body).toMatchObject({ recordingAvailable: true });
  const long = await v4.call('POST', '/browsers', { timeout: 241 });
  expect([long.status, long.body['detail']]).toEqual([403, expect.stringContaining('240 minutes')]);
});

describe('the profile of a V2 session', () => {
  it('has to exist, and counts as used', async () => {
    const [sessions, tasks] = [await profile(v2), await profile(v2)];
    expect((await v2.call('POST', '/sessions', { profileId: sessions })).status).toBe(201);
    const inTask = { task: 'x', sessionSettings: { profileId: tasks } };
    expect((await v2.call('POST', '/tasks', inTask)).status).toBe(202);
    expect([await lastUse(sessions), await lastUse(tasks)]).toEqual([expect.any(String), expect.any(String)]);
    const others = await profile(createApiClient(started.address, otherKey, 'v2'));
    for (const profileId of [nobody, others]) {
      const refused = { status: 404, body: { detail: 'Profile not found' } };
      expect(await v2.call('POST', '/sessions', { profileId })).toEqual(refused);
      expect(await v2.call('POST', '/tasks', { task: 'x', sessionSettings: { profileId } })).toEqual(refused);
    }
  });
});

describe('the profile of a V4 run', () => {
  it('must exist, counts as used, and stays the workspace of its session', async () => {
    const [mine, another] = [await profile(), await profile()];
    const { body } = await v4.call('POST', '/runs', {
      task: 'wait 0',
      browserSettings: { profileId: mine, record: true },
    });
    expect(await lastUse(mine)).toEqual(expect.any(String));
    await v4.until(String(body['id']), isEnded);
    const followUp = (browserSettings: JsonObject): Promise<{ status: number; body: JsonObject }> =>
      v4.call('POST', '/runs', { task: 'wait 0', sessionId: body['sessionId'], browserSettings });
    const differs = await followUp({ profileId: another });
    expect([differs.status, differs.body['detail']]).toEqual([400, expect.stringContaining('another profile')]);
    expect((await followUp({ profileId: nobody })).status).toBe(404);
    for (const same of [{ profileId: mine }, { profileId: null }, {}]) {
      const { status, body: run } = await followUp(same);
      expect([same, status]).toEqual([same, 200]);
      await v4.until(String(run['id']), isEnded);
    }
    const missing = await v4.call('POST', '/runs', { task: 'x', browserSettings: { profileId: nobody } });
    expect(missing).toEqual({ status: 404, body: { detail: 'Profile not found' } });
  });

  it('cannot be given to a session that has none', async () => {
    const { body } = await v4.call('POST', '/runs', { task: 'wait 0' });
    await v4.until(String(body['id']), isEnded);
    const browserSettings = { profileId: await profile() };
    const given = { task: 'x', sessionId: body['sessionId'], browserSettings };
    expect((await v4.call('POST', '/runs', given)).status).toBe(400);
  });
});

describe('the window of a browser', () => {
  let real: RealBackend;
  beforeAll(async () => {
    real = await startRealBackend();
  });
  afterAll(() => real.stop());

  it.each([
    { allowResizing: true, width: 900 },
    { allowResizing: false, width: 1280 },
  ])('takes the size that a client sets only with allowResizing ($allowResizing)', async ({ allowResizing, width }) => {
    const { cdpUrl } = await real.browser({ allowResizing });
    const client = await connectRaw(cdpUrl);
    const { windowId = 0 } = await client.result('Browser.getWindowForTarget', {}, await client.page());
    await client.result('Browser.setWindowBounds', { windowId, bounds: { width: 900, height: 700 } });
    const { bounds } = await client.result('Browser.getWindowBounds', { windowId });
    expect(bounds).toMatchObject({ width });
    client.close();
  });

  it('gives contexts of Playwright their default viewport, without allowResizing', async () => {
    const { cdpUrl } = await real.browser({});
    const browser = await chromium.connectOverCDP(cdpUrl);
    const context = await browser.newContext();
    const pages = [await context.newPage(), await browser.newPage()];
    const sizes = pages.map(async (page) => [page.viewportSize()?.width, await page.evaluate('innerWidth')]);
    expect(await Promise.all(sizes)).toEqual([
      [1280, 1280],
      [1280, 1280],
    ]);
    await browser.close();
  });

  it('is resized by Playwright without an error in contexts that are no part of it', async () => {
    const { cdpUrl } = await real.browser({});
    const browser = await chromium.connectOverCDP(cdpUrl);
    const page = await (browser.contexts()[0] ?? (await browser.newContext())).newPage();
    await page.setViewportSize({ width: 700, height: 500 });
    expect(await page.evaluate('innerWidth')).toBe(700);
    await browser.close();
  });
});
