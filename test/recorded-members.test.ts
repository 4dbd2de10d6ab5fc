import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asKysely } from '#store/database.ts';
import { setRunsOfRecordings } from '#store/migrations/0020-to-0029.ts';
import type { JsonObject } from '#lib/json.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { type ScriptedAgent, createScriptedAgent, waitForTask } from './support/scripted-agent.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';

let started: StartedBackend;
let agent: ScriptedAgent;
let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-recorded-'));
  agent = createScriptedAgent();
  started = await startBackend({ agent, dataFolder: join(folder, 'data'), grant: { zeroDataRetention: true } });
});
afterEach(async () => {
  await started.stop();
  rmSync(folder, { recursive: true });
});

const api = (version: 'v2' | 'v3' | 'v4'): ApiClient => createApiClient(started.address, testKey, version);
/** Timeout for a busy machine. */
const waitMs = 60_000;
const done = { success: true, output: null };
const files = (of: string): string[] => {
  const path = join(started.dataFolder, of);
  return existsSync(path) ? readdirSync(path).filter((name) => name.endsWith('.webm')) : [];
};
/** Returns true if a recording file has pictures after its header of 150 bytes. */
const isGrowing = (): boolean =>
  files('recordings').some((name) => statSync(join(started.dataFolder, 'recordings', name)).size > 150);

/** Returns the ids of the finished recordings of a session, oldest first. */
async function stored(ownerId: string, { backend }: StartedBackend = started): Promise<string[]> {
  const query = backend.db.selectFrom('recordings').select('id').where('ownerId', '=', ownerId);
  const rows = await query.where('status', '=', 'ready').orderBy('createdAt').orderBy('id').execute();
  return rows.map(({ id }) => id);
}

async function look(version: 'v2' | 'v3' | 'v4', path: string): Promise<JsonObject> {
  return (await api(version).call('GET', path)).body;
}

/**
 * Starts a recorded task in a new V3 session, or in the session of the body. Returns the session's id when the
 * recording has pictures.
 */
async function recording(goal: string, body: JsonObject = {}): Promise<string> {
  const created = await api('v3').call('POST', '/sessions', { task: goal, enableRecording: true, ...body });
  await waitForTask(agent, goal);
  await expect.poll(isGrowing).toBe(true);
  return String(created.body['id'] ?? body['sessionId']);
}

async function finish(goal: string): Promise<void> {
  (await waitForTask(agent, goal)).finish(done);
  await expect.poll(() => agent.running.has(goal)).toBe(false);
}

const listRecordingUrls = (session: JsonObject): string[] => session['recordingUrls'] as string[];
const ended = (id: string, count: number): Promise<JsonObject> =>
  api('v3').until(id, (found) => found['status'] === 'idle' && listRecordingUrls(found).length === count, waitMs);

describe('recordings of V3 sessions', () => {
  it('are one for each task, shown by GET of one session when the task has completed', async () => {
    const id = await recording('one', { keepAlive: true });
    expect(listRecordingUrls(await look('v3', `/sessions/${id}`))).toEqual([]);
    await finish('one');
    await ended(id, 1);
    expect((await look('v3', '/sessions'))['sessions']).toMatchObject([{ id, recordingUrls: [] }]);
    await recording('two', { sessionId: id, keepAlive: true });
    expect(await look('v3', `/sessions/${id}`)).toMatchObject({ status: 'running', recordingUrls: [] });
    await finish('two');
    const [first, second] = listRecordingUrls(await ended(id, 2));
    expect(new URL(first ?? '').pathname).not.toBe(new URL(second ?? '').pathname);
    await expect.poll(() => files('recordings')).toEqual([]);
  });

  it('are empty without a request for a recording', async () => {
    const { body } = await api('v3').call('POST', '/sessions', { task: 'plain', keepAlive: true });
    await finish('plain');
    expect(await ended(String(body['id']), 0)).toMatchObject({ recordingUrls: [] });
    expect(await started.backend.db.selectFrom('recordings').selectAll().execute()).toEqual([]);
    expect(existsSync(join(started.dataFolder, 'recordings'))).toBe(false);
  });

  it('shows no recording of a task that was stopped or that crashed, and keeps it', async () => {
    const stopped = await recording('stopped', { keepAlive: true });
    await api('v3').call('POST', `/sessions/${stopped}/stop`, { strategy: 'task' });
    await ended(stopped, 0);
    const failed = await recording('failed');
    (await waitForTask(agent, 'failed')).fail(new Error('the agent fell over'));
    await api('v3').until(failed, (found) => found['status'] === 'error', waitMs);
    for (const id of [stopped, failed]) {
      await expect.poll(() => stored(id)).toHaveLength(1);
      expect(listRecordingUrls(await look('v3', `/sessions/${id}`))).toEqual([]);
    }
    started.clock.advance(1_000);
    await recording('completed', { sessionId: stopped, keepAlive: true });
    await finish('completed');
    const [address] = listRecordingUrls(await ended(stopped, 1));
    expect(await stored(stopped)).toHaveLength(2);
    expect(address).toContain((await stored(stopped))[1]);
  });

  it('shows the recording of a task that the agent gave up', async () => {
    const id = await recording('given up', { keepAlive: true });
    (await waitForTask(agent, 'given up')).finish({ success: false, output: null });
    expect(await ended(id, 1)).toMatchObject({ isTaskSuccessful: false });
  });

  it('go with their session', async () => {
    const id = await recording('gone', { keepAlive: true });
    await finish('gone');
    await ended(id, 1);
    expect(files('blobs')).toHaveLength(1);
    expect((await api('v3').call('DELETE', `/sessions/${id}`)).status).toBeLessThan(300);
    await expect.poll(() => files('blobs')).toEqual([]);
    expect(await started.backend.db.selectFrom('recordings').selectAll().execute()).toEqual([]);
  });

  it('are stored at the next start when the service was killed, and not shown', async () => {
    const id = await recording('killed');
    const copy = join(folder, 'copy');
    cpSync(started.dataFolder, copy, { recursive: true });
    const again = await startBackend({ dataFolder: copy });
    const client = createApiClient(again.address);
    await client.until(id, (session) => session['status'] === 'error', waitMs);
    await expect.poll(() => stored(id, again)).toHaveLength(1);
    expect((await client.call('GET', `/sessions/${id}`)).body).toMatchObject({ recordingUrls: [] });
    await expect.poll(() => readdirSync(join(copy, 'recordings'))).toEqual([]);
    await again.stop();
  });

  it('get their run from an upgrade', async () => {
    const stopped = await recording('stopped', { keepAlive: true });
    await api('v3').call('POST', `/sessions/${stopped}/stop`, { strategy: 'task' });
    await expect.poll(() => stored(stopped)).toHaveLength(1);
    started.clock.advance(1_000);
    await recording('completed', { sessionId: stopped, keepAlive: true });
    await finish('completed');
    const before = listRecordingUrls(await ended(stopped, 1)).map((url) => new URL(url).pathname);
    const { db } = started.backend;
    await db.updateTable('recordings').set({ runId: null }).execute();
    await setRunsOfRecordings(asKysely(db));
    expect(listRecordingUrls(await ended(stopped, 1)).map((url) => new URL(url).pathname)).toEqual(before);
  });
});

describe('the address of a recording', () => {
  let address: string;

  beforeEach(async () => {
    const id = await recording('seen', { keepAlive: true });
    await finish('seen');
    address = listRecordingUrls(await ended(id, 1))[0] ?? '';
  });

  it('gives the video without a key, whole or in part', async () => {
    const whole = await fetch(address);
    const bytes = Buffer.from(await whole.arrayBuffer());
    expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'video/webm']);
    expect(bytes.subarray(0, 4).toString('hex')).toBe('1a45dfa3');
    const part = await fetch(address, { headers: { range: 'bytes=4-9' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 4-9/${bytes.length}`]);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(4, 10))).toBe(true);
    const behind = await fetch(address, { headers: { range: `bytes=${bytes.length}-` } });
    expect([behind.status, behind.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`]);
  });

  it('is refused when it was changed, or is late', async () => {
    const altered = new URL(address);
    altered.searchParams.set('expires', String(Number(altered.searchParams.get('expires')) + 1));
    expect((await fetch(altered)).status).toBe(403);
    expect((await fetch(new URL(new URL(address).pathname, address))).status).toBe(403);
    started.clock.advance(3_600_001);
    expect((await fetch(address)).status).toBe(403);
  });

  it('leads nowhere once the recording was removed, 30 days after its end', async () => {
    started.clock.advance(30 * 86_400_000 + 1);
    const id = await recording('later', { keepAlive: true });
    await finish('later');
    await ended(id, 1);
    await expect.poll(() => files('blobs')).toHaveLength(1);
  });
});

describe('recordings of V2 sessions', () => {
  it('are one for the session, shown when it has ended', async () => {
    const { body } = await api('v2').call('POST', '/sessions', { enableRecording: true });
    const path = `/sessions/${String(body['id'])}`;
    await api('v2').call('POST', '/tasks', { task: 'first', sessionId: String(body['id']) });
    await waitForTask(agent, 'first');
    await expect.poll(isGrowing).toBe(true);
    await finish('first');
    expect(await look('v2', path)).toMatchObject({ status: 'active', recordingUrl: null });
    await api('v2').call('PATCH', path, { action: 'stop' });
    await expect.poll(async () => (await look('v2', path))['recordingUrl']).toMatch(/\/recordings\//);
    expect((await look('v2', '/sessions'))['items']).toMatchObject([{ recordingUrl: null }]);
  });

  it('go with a session that is deleted while they are made', async () => {
    const settings = { sessionSettings: { enableRecording: true } };
    const { body } = await api('v2').call('POST', '/tasks', { task: 'deleted', ...settings });
    await waitForTask(agent, 'deleted');
    await expect.poll(isGrowing).toBe(true);
    expect((await api('v2').call('DELETE', `/sessions/${String(body['sessionId'])}`)).status).toBeLessThan(300);
    await expect.poll(() => [...files('recordings'), ...files('blobs')]).toEqual([]);
  });

  it('are erased with everything else of a purged session, also while they are made', async () => {
    const settings = { sessionSettings: { enableRecording: true } };
    const { body } = await api('v2').call('POST', '/tasks', { task: 'purged', ...settings });
    await waitForTask(agent, 'purged');
    await expect.poll(isGrowing).toBe(true);
    const purged = await api('v2').call('POST', `/sessions/${String(body['sessionId'])}/purge`);
    expect(purged.status).toBeLessThan(300);
    expect([...files('recordings'), ...files('blobs')]).toEqual([]);
    expect(await started.backend.db.selectFrom('recordings').selectAll().execute()).toEqual([]);
  });
});

describe('recordings of standalone browsers', () => {
  it('are shown by GET of one browser after its stop, and never by the stop itself', async () => {
    const v4 = api('v4');
    const { body: created } = await v4.call('POST', '/browsers', { enableRecording: true });
    const path = `/browsers/${String(created['id'])}`;
    expect(created).toMatchObject({ recordingUrl: null });
    await expect.poll(isGrowing).toBe(true);
    expect(await look('v4', path)).toMatchObject({ recordingUrl: null, recordingAvailable: true });
    const { body: stopped } = await v4.call('PATCH', path, { action: 'stop' });
    expect(stopped).toMatchObject({ status: 'stopped', recordingUrl: null, recordingAvailable: true });
    expect(await look('v4', path)).toMatchObject({
      recordingUrl: expect.stringMatching(/\/recordings\//),
      recordingAvailable: true,
    });
    expect((await v4.call('PATCH', path, { action: 'stop' })).body).toMatchObject({ recordingUrl: null });
    expect((await look('v4', '/browsers'))['items']).toMatchObject([{ recordingUrl: null }]);
  });

  it('are not available without a request for a recording', async () => {
    const { body } = await api('v4').call('POST', '/browsers', {});
    const path = `/browsers/${String(body['id'])}`;
    expect(await look('v4', path)).toMatchObject({ recordingUrl: null, recordingAvailable: false });
    await api('v4').call('PATCH', path, { action: 'stop' });
    expect(await look('v4', path)).toMatchObject({ recordingUrl: null, recordingAvailable: false });
  });

  it('outlive a service that was killed: its stop shows what there was', async () => {
    const { body } = await api('v4').call('POST', '/browsers', { enableRecording: true });
    const path = `/browsers/${String(body['id'])}`;
    await expect.poll(isGrowing).toBe(true);
    const copy = join(folder, 'copy');
    cpSync(started.dataFolder, copy, { recursive: true });
    const again = await startBackend({ dataFolder: copy });
    const v4 = createApiClient(again.address, testKey, 'v4');
    expect((await v4.call('GET', path)).body).toMatchObject({ status: 'active', recordingUrl: null });
    await v4.call('PATCH', path, { action: 'stop' });
    expect((await v4.call('GET', path)).body).toMatchObject({ recordingUrl: expect.stringMatching(/\/recordings\//) });
    await again.stop();
  });
});

it.each([true, false])('record %s of a V4 run decides whether its browser is recorded', async (record) => {
  const settings = { proxyCountryCode: null, record };
  // The project must allow V4 runs, which zero data retention refuses.
  await started.backend.db.updateTable('projects').set({ zeroDataRetention: 0 }).execute();
  const { body } = await api('v4').call('POST', '/runs', { task: 'one', browserSettings: settings });
  await waitForTask(agent, 'one');
  const { db } = started.backend;
  const rows = await db.selectFrom('recordings').select('ownerId').execute();
  expect(rows).toEqual(record ? [{ ownerId: body['sessionId'] }] : []);
});
