import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { operations } from '#generated/operations.ts';
import type { Blobs } from '#store/blobs/blobs.ts';
import { createDiskBlobs } from '#store/blobs/disk-blobs.ts';
import type { JsonObject } from '#lib/json.ts';
import { keptText } from './support/kept-text.ts';
import { createApiClient } from './support/api-client.ts';
import { type ScriptedAgent, createScriptedAgent, waitForTask } from './support/scripted-agent.ts';
import { desk, put } from './support/workspace-client.ts';
import { type StartedBackend, otherKey, startBackend, testKey } from './support/start-backend.ts';

let started: StartedBackend;
let agent: ScriptedAgent;
let dataFolder: string;

const grant = { zeroDataRetention: true };
const start = (changes: Parameters<typeof startBackend>[0] = {}) =>
  startBackend({ agent, grant, dataFolder, ...changes });
const client = (version: 'v2' | 'v3' | 'v4' = 'v2', key = testKey) => createApiClient(started.address, key, version);
const secret = 'unmistakable-words';

beforeEach(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), 'svc-purge-'));
  agent = createScriptedAgent();
  started = await start();
});
afterEach(async () => {
  await started.stop();
  rmSync(dataFolder, { recursive: true });
});

/**
 * Creates a session with a task that has taken steps and continues. All its texts contain the secret that a purge must
 * remove.
 */
async function fullSession(
  version: 'v2' | 'v4' = 'v2',
): Promise<{ id: string; sessionId: string; pictures: string[] }> {
  const api = client(version);
  const given =
    version === 'v2'
      ? {
          path: '/tasks',
          more: { structuredOutput: `{"title":"${secret}"}`, metadata: { a: secret }, startUrl: `data:,${secret}` },
        }
      : { path: '/runs', more: { outputSchema: { title: secret } } };
  const { body } = await api.call('POST', given.path, { task: secret, ...given.more });
  const running = await waitForTask(agent, secret);
  await running.step();
  await running.world.step({
    summary: secret,
    action: { a: secret },
    url: `data:,${secret}`,
    usage: { inputTokens: 900, outputTokens: 1 },
  });
  const sessionId = String(body['sessionId'] ?? body['id']);
  // A title and a judgement, as a model could have written them.
  await started.backend.db
    .updateTable('runs')
    .set({ title: secret, judgement: JSON.stringify({ verdict: true, reasoning: secret }) })
    .where('sessionId', '=', sessionId)
    .execute();
  const rows = await started.backend.db
    .selectFrom('pictures')
    .select('key')
    .where('sessionId', '=', sessionId)
    .execute();
  return { id: String(body['id']), sessionId, pictures: rows.map(({ key }) => key) };
}

const stored = (): string[] => readdirSync(join(dataFolder, 'blobs'), { recursive: true }).map(String);
const isStored = (key: string): boolean => stored().some((name) => name.endsWith(key));

/** Uploads a file to a workspace; returns its id. */
async function upload(api: ReturnType<typeof client>, workspaceId: string, name: string): Promise<string> {
  const [file] = await desk(api, workspaceId).reserve({ files: [{ name, size: 3 }] });
  expect((await put(String(file?.['uploadUrl']), Buffer.from('abc'))).status).toBe(200);
  return String(file?.['id']);
}

async function readBlobKey(fileId: string): Promise<string> {
  const row = await started.backend.db
    .selectFrom('files')
    .select('blobKey')
    .where('id', '=', fileId)
    .executeTakeFirst();
  return row?.blobKey ?? '';
}

describe('a purge', () => {
  it('stops what runs, erases all of it, and keeps the bill', async () => {
    const { id, sessionId, pictures } = await fullSession();
    const api = client();
    const { shareUrl } = (await api.call('POST', `/sessions/${sessionId}/public-share`)).body;
    const session = (await api.call('GET', `/sessions/${sessionId}`)).body;
    const log = (await api.call('GET', `/tasks/${id}/logs`)).body['downloadUrl'];
    expect(pictures.length).toBeGreaterThanOrEqual(2);
    expect(pictures.every(isStored)).toBe(true);
    expect(await keptText(started)).toContain(secret);
    const before = (await api.call('GET', '/billing/account')).body['totalCreditsBalanceUsd'];

    expect((await api.call('POST', `/sessions/${sessionId}/purge`)).status).toBe(204);
    expect(await keptText(started)).not.toContain(secret);
    expect(pictures.some(isStored)).toBe(false);
    for (const path of [
      `/sessions/${sessionId}`,
      `/tasks/${id}`,
      `/tasks/${id}/status`,
      `/tasks/${id}/logs`,
      `/sessions/${sessionId}/public-share`,
    ])
      expect((await api.call('GET', path)).status).toBe(404);
    expect((await api.call('GET', '/tasks')).body['totalItems']).toBe(0);
    for (const address of [shareUrl, log, session['liveUrl']]) expect((await fetch(String(address))).status).toBe(404);
    expect((await api.call('GET', '/billing/account')).body['totalCreditsBalanceUsd']).toBeLessThanOrEqual(
      Number(before),
    );
    expect(Number((await api.call('GET', '/billing/account')).body['totalCreditsBalanceUsd'])).toBeLessThan(100);
    expect((await api.call('POST', `/sessions/${sessionId}/purge`)).status).toBe(404);
    expect(agent.running.size).toBe(0);
  });

  it('erases what the model of a task that has ended suggests', async () => {
    const api = client();
    const { body } = await api.call('POST', '/tasks', { task: 'goal' });
    (await waitForTask(agent, 'goal')).finish({ success: true, output: secret, suggestions: [`more ${secret}`] });
    await api.until(String(body['id']), ({ status }) => status === 'finished');
    expect((await api.call('POST', `/sessions/${String(body['sessionId'])}/purge`)).status).toBe(204);
    expect(await keptText(started)).not.toContain(secret);
  });

  it('that the process did not survive is finished by the next one', async () => {
    const { sessionId, pictures } = await fullSession();
    const { db } = started.backend;
    await client().call('PATCH', `/sessions/${sessionId}`, { action: 'stop' });
    // The state that a process leaves if it ends right after the first write.
    await db.updateTable('sessions').set({ purgeState: 'wanted', deletedAt: 1 }).where('id', '=', sessionId).execute();
    expect(await keptText(started)).toContain(secret);
    await started.stop();
    started = await start();
    expect(await keptText(started)).not.toContain(secret);
    expect(pictures.some(isStored)).toBe(false);
    const row = await started.backend.db
      .selectFrom('sessions')
      .selectAll()
      .where('id', '=', sessionId)
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({ purgeState: 'done', inputTokens: 910 });
  });

  it('leaves bytes that the store does not remove now to the next start', async () => {
    await started.stop();
    const disk = createDiskBlobs(join(dataFolder, 'blobs'));
    const broken: Blobs = { ...disk, remove: () => Promise.reject(new Error('the store is down')) };
    started = await start({ blobs: broken });
    const { sessionId, pictures } = await fullSession();
    expect((await client().call('POST', `/sessions/${sessionId}/purge`)).status).toBe(204);
    expect(pictures.every(isStored)).toBe(true);
    await started.stop();
    started = await start();
    expect(pictures.some(isStored)).toBe(false);
  });

  it('a picture that is being stored meanwhile is not kept', async () => {
    await started.stop();
    const disk = createDiskBlobs(join(dataFolder, 'blobs'));
    const { promise, resolve } = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    let held = false;
    const slow: Blobs = {
      ...disk,
      async write(key, incoming) {
        if (held) arrived.resolve();
        if (held) await promise;
        await disk.write(key, incoming);
      },
    };
    started = await start({ blobs: slow });
    const { sessionId } = await fullSession();
    held = true;
    const stepped = (await waitForTask(agent, secret)).step().catch((error: unknown) => error);
    await arrived.promise;
    expect((await client().call('POST', `/sessions/${sessionId}/purge`)).status).toBe(204);
    resolve();
    await stepped;
    // For the agent, the step has ended. Its pending writes to the store end later.
    await expect.poll(stored).toEqual([]);
    for (const table of ['pictures', 'loose_blobs'] as const)
      await expect.poll(() => started.backend.db.selectFrom(table).selectAll().execute()).toEqual([]);
  });

  it('is for projects with zero data retention only, and for their own sessions', async () => {
    const { sessionId } = await fullSession();
    expect((await client('v2', otherKey).call('POST', `/sessions/${sessionId}/purge`)).status).toBe(404);
    await started.backend.db.updateTable('projects').set({ zeroDataRetention: 0 }).execute();
    const refused = await client().call('POST', `/sessions/${sessionId}/purge`);
    expect(refused.status).toBe(403);
    expect((await client('v4').call('POST', `/sessions/${sessionId}/purge`)).status).toBe(403);
    expect((await client().call('GET', `/sessions/${sessionId}`)).status).toBe(200);
  });

  it('V4: of a session from before the project got zero data retention', async () => {
    const retention = (value: 0 | 1) =>
      started.backend.db.updateTable('projects').set({ zeroDataRetention: value }).execute();
    await retention(0);
    const { sessionId, pictures } = await fullSession('v4');
    const api = client('v4');
    await api.call('POST', `/sessions/${sessionId}/queue`, { text: `next ${secret}` });
    await api.call('PATCH', `/sessions/${sessionId}`, { title: secret });
    const { workspaceId } = (await api.call('GET', `/sessions/${sessionId}`)).body;
    const own = await upload(api, String(workspaceId), 'attached.txt');
    const others = await upload(api, String(workspaceId), 'kept.txt');
    await api.call('POST', `/sessions/${sessionId}/queue`, { text: 'with a file', attachedFileIds: [own] });
    expect(isStored(await readBlobKey(own))).toBe(true);
    const [ownKey, othersKey] = [await readBlobKey(own), await readBlobKey(others)];
    await retention(1);
    expect((await api.call('POST', `/sessions/${sessionId}/purge`)).status).toBe(204);
    expect(await keptText(started)).not.toContain(secret);
    expect(pictures.some(isStored)).toBe(false);
    expect([isStored(ownKey), isStored(othersKey)]).toEqual([false, true]);
    const left = await started.backend.db.selectFrom('attachments').selectAll().execute();
    expect(left).toEqual([]);
    await retention(0);
    expect((await api.call('GET', `/sessions/${sessionId}`)).status).toBe(404);
    expect(agent.running.size).toBe(0);
  });
});

it('a file that an agent is writing while its session is purged is not kept', async () => {
  await started.stop();
  const { promise: gate, resolve: letGo } = Promise.withResolvers<void>();
  const { promise: writing, resolve: begun } = Promise.withResolvers<void>();
  const disk = createDiskBlobs(join(dataFolder, 'blobs'));
  const write: Blobs['write'] = async (key, incoming) => {
    await disk.write(key, incoming);
    // Pictures are not held back.
    if (!key.endsWith('.bin')) return;
    begun();
    await gate;
  };
  started = await start({ blobs: { ...disk, write } });
  const retention = (value: 0 | 1) =>
    started.backend.db.updateTable('projects').set({ zeroDataRetention: value }).execute();
  await retention(0);
  const { id, sessionId = '' } = (await client('v4').call('POST', '/runs', { task: 'write' })).body;
  const written = (await waitForTask(agent, 'write')).world.files.write('late.txt', secret).catch(String);
  await writing;
  await retention(1);
  expect((await client('v4').call('POST', `/sessions/${String(sessionId)}/purge`)).status).toBe(204);
  letGo();
  expect(await written).toContain('the task was ended: stopped');
  await expect.poll(() => stored().filter((name) => name.endsWith('.bin'))).toEqual([]);
  const left = started.backend.db.selectFrom('files').select('path').where('runId', '=', String(id));
  expect(await left.execute()).toEqual([]);
});

describe('zero data retention', () => {
  const kept = operations.filter(
    ({ version, path, id }) =>
      version === 'v4' &&
      id !== 'purgeSession' &&
      (/^\/(runs|sessions)/.test(path) || /^\/workspaces\/.*\/files/.test(path)),
  );
  const body: Record<string, JsonObject> = {
    createRun: { task: 'x' },
    createMessage: { text: 'x' },
    updateSession: { title: 'x' },
    uploadWorkspaceFiles: { files: [{ name: 'a', size: 1 }] },
  };

  it.each(kept)('V4 $id answers 403', async ({ id, method, path, statuses }) => {
    expect(statuses).toContain(403);
    const filled = path.replaceAll('{message_id}', '1').replaceAll(/\{\w+\}/g, '3f0c2b8e-5d1a-4c57-9e0b-6a7d2f1c8b90');
    const query = id === 'deleteWorkspaceFile' ? '?path=a' : '';
    const answer = await client('v4').call(method.toUpperCase(), `${filled}${query}`, body[id]);
    expect(answer.status).toBe(403);
    expect(answer.body['detail']).toContain('zero data retention');
  });

  it('leaves everything else as it is', async () => {
    expect((await client('v4').call('GET', '/browsers')).status).toBe(200);
    expect((await client('v4').call('POST', '/workspaces', {})).status).toBe(200);
    expect((await client('v3').call('POST', '/sessions', {})).status).toBe(200);
    expect((await client('v2').call('GET', '/billing/account')).body['tracingDisabled']).toBe(true);
  });
});
