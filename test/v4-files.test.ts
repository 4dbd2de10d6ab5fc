import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { createScriptedAgent, waitForTask } from './support/scripted-agent.ts';
import { type StartedBackend, otherKey, startBackend, testKey } from './support/start-backend.ts';
import { desk, makeWorkspace, put } from './support/workspace-client.ts';
import { undoHashedTokens } from './support/undo-hashed-tokens.ts';

const unknownId = '00000000-0000-4000-8000-000000000000';

let started: StartedBackend;
let v4: ApiClient;
let other: ApiClient;

async function start(changes: Parameters<typeof startBackend>[0] = {}): Promise<void> {
  started = await startBackend(changes);
  v4 = createApiClient(started.address, testKey, 'v4');
  other = createApiClient(started.address, otherKey, 'v4');
}

beforeEach(() => start());
afterEach(() => started.stop());

/** Creates a run; throws if the service refuses it. */
async function create(body: JsonObject): Promise<JsonObject> {
  const answer = await v4.call('POST', '/runs', body);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer));
  return answer.body;
}

const done = (id: unknown): Promise<JsonObject> => v4.until(String(id), ({ status }) => status === 'completed');

/** Creates a run and waits until its status is `completed`. Returns the record. */
const ran = async (body: JsonObject): Promise<JsonObject> => done((await create(body))['id']);

const fetchAttachments = async (id: unknown): Promise<unknown> =>
  (await v4.call('GET', `/runs/${String(id)}/attachments`)).body['attachments'];

/** Requests an upload of three bytes; returns its id and URL. */
async function opened(workspace: string, name: string): Promise<{ id: string; address: string }> {
  const [upload] = await desk(v4, workspace).reserve({ files: [{ name, size: 3, contentType: 'text/plain' }] });
  return { id: String(upload?.['id']), address: String(upload?.['uploadUrl']) };
}

/** Uploads a text of three bytes; returns the id of the upload. */
async function uploaded(workspace: string, name: string, text = 'abc'): Promise<string> {
  const { id, address } = await opened(workspace, name);
  await put(address, Buffer.from(text), 'text/plain');
  return id;
}

describe('the workspace of a run', () => {
  it('is made when none is named, and stays that of the session', async () => {
    const first = await create({ task: "Write 'abc' to the file a.txt" });
    const { workspaceId, sessionId, missingFileIds } = first;
    expect([workspaceId, missingFileIds]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), []]);
    expect(await done(first['id'])).toMatchObject({ workspaceId, attachedFileIds: null });
    expect((await v4.call('GET', `/sessions/${String(sessionId)}`)).body['workspaceId']).toBe(workspaceId);
    expect((await v4.call('GET', `/workspaces/${String(workspaceId)}`)).body).toMatchObject({
      name: null,
      archived: false,
    });
    expect(await desk(v4, String(workspaceId)).paths()).toEqual(['a.txt']);
    const second = await create({ task: 'Read the file a.txt', sessionId: sessionId ?? null });
    expect(second['workspaceId']).toBe(workspaceId);
    expect((await done(second['id']))['result']).toBe('abc');
    expect((await create({ task: 'Say x' }))['workspaceId']).not.toBe(workspaceId);
  });

  it('outlives the session', async () => {
    const { id, workspaceId, sessionId } = await create({ task: "Write 'abc' to the file a.txt" });
    await done(id);
    await v4.call('DELETE', `/sessions/${String(sessionId)}`);
    expect(await desk(v4, String(workspaceId)).paths()).toEqual(['a.txt']);
  });

  it('can be named, also by several sessions', async () => {
    const workspaceId = await makeWorkspace(v4);
    await desk(v4, workspaceId).store('notes.txt', 'pears');
    expect(await ran({ task: 'Read the file notes.txt', workspaceId })).toMatchObject({ workspaceId, result: 'pears' });
    const saved = await ran({ task: 'Read the file uploads/notes.txt and save it as out/n.txt', workspaceId });
    expect(saved['result']).toBe('pears\nSaved out/n.txt (5 bytes).');
    expect(await desk(v4, workspaceId).paths()).toEqual(['out/n.txt', 'uploads/notes.txt']);
    expect((await ran({ task: 'List the files', workspaceId }))['result']).toBe('out/n.txt\nuploads/notes.txt');
  });

  it('has to be a living one of the project, and nothing is made otherwise', async () => {
    const foreign = await makeWorkspace(other);
    const archived = await makeWorkspace(v4);
    await v4.call('DELETE', `/workspaces/${archived}`);
    for (const workspaceId of [unknownId, foreign, archived]) {
      const refused = await v4.call('POST', '/runs', { task: 'Say x', workspaceId });
      expect(refused).toMatchObject({ status: 404, body: { detail: 'Workspace not found' } });
    }
    expect((await v4.call('GET', '/runs')).body['runs']).toEqual([]);
  });

  it('cannot change in a session', async () => {
    const [own, another] = [await makeWorkspace(v4), await makeWorkspace(v4)];
    const { id, sessionId = null } = await create({ task: 'Say x', workspaceId: own.toUpperCase() });
    await done(id);
    const refused = await v4.call('POST', '/runs', { task: 'Say y', sessionId, workspaceId: another });
    expect(refused).toMatchObject({ status: 400, body: { detail: expect.stringContaining(own) } });
    const missing = await v4.call('POST', '/runs', { task: 'Say y', sessionId, workspaceId: unknownId });
    expect(missing.status).toBe(404);
    expect((await create({ task: 'Say y', sessionId, workspaceId: own.toUpperCase() }))['workspaceId']).toBe(own);
  });

  it('is not made when there is no room for the session', async () => {
    await started.stop();
    await start({ activeSessionsMax: 0 });
    expect((await v4.call('POST', '/runs', { task: 'Say x' })).status).toBe(429);
    expect(await started.backend.db.selectFrom('workspaces').select('id').execute()).toEqual([]);
  });

  it('that is deleted meanwhile leaves a run that says so', async () => {
    const workspaceId = await makeWorkspace(v4);
    const { id, sessionId = null } = await create({ task: 'Say x', workspaceId });
    await done(id);
    await v4.call('DELETE', `/workspaces/${workspaceId}`);
    const run = await ran({ task: "Write 'abc' to the file a.txt", sessionId });
    expect(run).toMatchObject({ result: 'The file a.txt was not saved: Workspace not found.', workspaceId });
  });
});

describe('attachments', () => {
  let workspaceId: string;
  beforeEach(async () => {
    workspaceId = await makeWorkspace(v4);
  });

  it('belong to the run, which reads them', async () => {
    const [one, two] = [await uploaded(workspaceId, 'one.txt', 'one'), await uploaded(workspaceId, 'two.txt', 'two')];
    const created = await create({
      task: 'Read the attached files',
      workspaceId,
      attachedFileIds: [two, one.toUpperCase(), two],
    });
    expect(created['missingFileIds']).toEqual([]);
    const run = await done(created['id']);
    expect(run).toMatchObject({ result: 'two\none', attachedFileIds: [two, one] });
    const attachment = { contentType: 'text/plain', sizeBytes: 3, status: 'uploaded' };
    expect(await fetchAttachments(created['id'])).toEqual([
      { id: two, name: 'two.txt', ...attachment },
      { id: one, name: 'one.txt', ...attachment },
    ]);
    const listed = (await v4.call('GET', '/runs')).body['runs'] as JsonObject[];
    expect(listed[0]).toMatchObject({ attachedFileIds: [two, one] });
  });

  it('of one run are not those of the next', async () => {
    const id = await uploaded(workspaceId, 'one.txt');
    const { id: runId, sessionId = null } = await create({ task: 'Say x', workspaceId, attachedFileIds: [id] });
    await done(runId);
    const next = await create({ task: 'Read the attached file', sessionId });
    expect(await done(next['id'])).toMatchObject({
      result: 'No file is attached to this task.',
      attachedFileIds: null,
    });
    const again = await create({ task: 'Say y', sessionId, attachedFileIds: [id] });
    expect(again['missingFileIds']).toEqual([id]);
    expect(await fetchAttachments(again['id'])).toEqual([]);
    expect(await fetchAttachments(runId)).toHaveLength(1);
  });

  it('that are unknown, of another workspace or of another project are named as missing', async () => {
    const elsewhere = await uploaded(await makeWorkspace(v4), 'a.txt');
    const foreignDesk = desk(other, await makeWorkspace(other));
    const foreign = String((await foreignDesk.reserve({ files: [{ name: 'a', size: 1 }] }))[0]?.['id']);
    const own = await uploaded(workspaceId, 'own.txt');
    const attachedFileIds = [unknownId, elsewhere, own, foreign];
    const created = await create({ task: 'Say x', workspaceId, attachedFileIds });
    expect(created['missingFileIds']).toEqual([unknownId, elsewhere, foreign]);
    expect(await done(created['id'])).toMatchObject({ attachedFileIds: [own] });
    // A new workspace contains no uploads.
    expect((await create({ task: 'Say x', attachedFileIds: [unknownId] }))['missingFileIds']).toEqual([unknownId]);
  });

  it('are pending until their bytes have come', async () => {
    const { id, address } = await opened(workspaceId, 'late.txt');
    const created = await create({ task: 'Read the attached file', workspaceId, attachedFileIds: [id] });
    expect(await done(created['id'])).toMatchObject({
      result: 'The attached file late.txt has not been uploaded yet.',
      attachedFileIds: [id],
    });
    expect(await fetchAttachments(created['id'])).toMatchObject([{ id, status: 'pending' }]);
    await put(address, Buffer.from('abc'), 'text/plain');
    expect(await fetchAttachments(created['id'])).toMatchObject([{ id, status: 'uploaded' }]);
    await v4.call('DELETE', `/workspaces/${workspaceId}/files?path=uploads/late.txt`);
    expect(await fetchAttachments(created['id'])).toMatchObject([{ id, status: 'uploaded' }]);
  });

  it('are found by their name before other files of it', async () => {
    const first = await uploaded(workspaceId, 'a.txt', 'old');
    const run = await ran({ task: 'Read the file a.txt', workspaceId, attachedFileIds: [first] });
    expect(run['result']).toBe('old');
    await uploaded(workspaceId, 'a.txt', 'new');
    expect((await ran({ task: 'Read the file a.txt', workspaceId }))['result']).toBe('new');
  });

  it.each([
    { name: 'twenty', attachedFileIds: Array.from({ length: 20 }, () => unknownId), status: 200 },
    { name: 'twenty-one', attachedFileIds: Array.from({ length: 21 }, () => unknownId), status: 422 },
    { name: 'no uuid', attachedFileIds: ['x'], status: 422 },
    { name: 'null', attachedFileIds: null, status: 200 },
    { name: 'none', attachedFileIds: [], status: 200 },
  ])('$name: $status', async ({ attachedFileIds, status }) => {
    expect((await v4.call('POST', '/runs', { task: 'Say x', attachedFileIds })).status).toBe(status);
  });

  it('go to one of two runs that are created at the same time', async () => {
    const id = await uploaded(workspaceId, 'a.txt');
    const runs = await Promise.all([1, 2].map(() => create({ task: 'Say x', workspaceId, attachedFileIds: [id] })));
    expect(runs.map((run) => JSON.stringify(run['missingFileIds'])).toSorted()).toEqual([`["${id}"]`, '[]']);
  });

  it('are of runs that the caller may see', async () => {
    const { id } = await create({ task: 'Say x' });
    expect(await other.call('GET', `/runs/${String(id)}/attachments`)).toMatchObject({
      status: 404,
      body: { detail: 'Run not found' },
    });
    expect((await v4.call('GET', `/runs/${unknownId}/attachments`)).status).toBe(404);
  });

  it('of a refused run stay free', async () => {
    const agent = createScriptedAgent();
    await started.stop();
    await start({ agent });
    workspaceId = await makeWorkspace(v4);
    const id = await uploaded(workspaceId, 'a.txt');
    const { sessionId = null } = await create({ task: 'work', workspaceId });
    await waitForTask(agent, 'work');
    expect((await v4.call('POST', '/runs', { task: 'more', sessionId, attachedFileIds: [id] })).status).toBe(409);
    expect(await started.backend.db.selectFrom('attachments').selectAll().execute()).toEqual([]);
  });
});

describe('attachments of messages', () => {
  it('that still wait when their session is deleted are free again', async () => {
    const agent = createScriptedAgent();
    await started.stop();
    await start({ agent });
    const workspaceId = await makeWorkspace(v4);
    const id = await uploaded(workspaceId, 'one.txt');
    const { sessionId = '' } = await create({ task: 'work', workspaceId });
    await waitForTask(agent, 'work');
    await v4.call('POST', `/sessions/${String(sessionId)}/queue`, { text: 'next', attachedFileIds: [id] });
    expect((await v4.call('DELETE', `/sessions/${String(sessionId)}`)).status).toBe(204);
    const next = await create({ task: 'Say x', workspaceId, attachedFileIds: [id] });
    expect(next['missingFileIds']).toEqual([]);
  });

  it('wait with the message and go to its run; a message that is taken back frees them', async () => {
    const agent = createScriptedAgent();
    await started.stop();
    await start({ agent });
    const workspaceId = await makeWorkspace(v4);
    const [one, two] = [await uploaded(workspaceId, 'one.txt'), await uploaded(workspaceId, 'two.txt')];
    const { sessionId } = await create({ task: 'work', workspaceId });
    const running = await waitForTask(agent, 'work');
    const send = (text: string, attachedFileIds: readonly string[]) =>
      v4.call('POST', `/sessions/${String(sessionId)}/queue`, { text, attachedFileIds });
    const kept = await send('next', [one, unknownId]);
    expect(kept).toMatchObject({ status: 200, body: { status: 'pending', attachedFileIds: [one] } });
    const taken = await send('never', [two]);
    const queue = (await v4.call('GET', `/sessions/${String(sessionId)}/queue`)).body['queue'];
    expect(queue).toMatchObject([{ attachedFileIds: [one] }, { attachedFileIds: [two] }]);
    const messages = `/sessions/${String(sessionId)}/queue`;
    expect((await v4.call('DELETE', `${messages}/${String(taken.body['id'])}`)).body).toMatchObject({
      status: 'cancelled',
      attachedFileIds: null,
    });
    expect((await send('again', [two])).body['attachedFileIds']).toEqual([two]);
    running.finish({ success: true, output: null });
    await waitForTask(agent, 'next');
    const consumed = (await v4.call('GET', `${messages}/${String(kept.body['id'])}`)).body;
    expect(consumed).toMatchObject({ status: 'consumed', attachedFileIds: [one] });
    expect(await fetchAttachments(consumed['runId'])).toMatchObject([{ id: one, name: 'one.txt', status: 'uploaded' }]);
    expect((await v4.call('GET', `/runs/${String(consumed['runId'])}`)).body['attachedFileIds']).toEqual([one]);
  });

  it('are 20 at most', async () => {
    const { id, sessionId } = await create({ task: 'Say x' });
    await done(id);
    const attachedFileIds = Array.from({ length: 21 }, () => unknownId);
    const refused = await v4.call('POST', `/sessions/${String(sessionId)}/queue`, { text: 'Say y', attachedFileIds });
    expect(refused.status).toBe(422);
  });
});

describe('V3', () => {
  it('a task works in the workspace of its session, and fails without one', async () => {
    const v3 = createApiClient(started.address);
    const workspaceId = await makeWorkspace(v3);
    await desk(v3, workspaceId).store('notes.txt', 'pears', '?prefix=in');
    const ended = ({ status }: JsonObject): boolean => status === 'stopped';
    const session = async (body: JsonObject): Promise<JsonObject> =>
      v3.until(String((await v3.call('POST', '/sessions', body)).body['id']), ended);
    const task = 'Read the file in/notes.txt and save it as out.txt';
    expect(await session({ task, workspaceId })).toMatchObject({
      isTaskSuccessful: true,
      output: 'pears\nSaved out.txt (5 bytes).',
    });
    expect(await desk(v3, workspaceId).files()).toMatchObject([{ path: 'in/notes.txt' }, { path: 'out.txt', size: 5 }]);
    expect(await session({ task })).toMatchObject({
      isTaskSuccessful: false,
      output: 'This session has no workspace, so there are no files.',
    });
    expect((await v3.call('GET', '/workspaces')).body['totalItems']).toBe(1);
  });
});

describe('what an agent writes', () => {
  it.each([
    { path: '../x.txt', reason: 'No file can be called ../x.txt.' },
    { path: '/etc/passwd', reason: 'No file can be called /etc/passwd.' },
    { path: 'a//b', reason: 'No file can be called a//b.' },
    { path: 'x'.repeat(256), reason: `No file can be called ${'x'.repeat(256)}.` },
  ])('has a path of a workspace: $path', async ({ path, reason }) => {
    const run = await ran({ task: `Write 'abc' to the file '${path}'` });
    expect(run['result']).toBe(reason);
    expect(await started.backend.db.selectFrom('files').select('path').execute()).toEqual([]);
  });

  it('replaces the file of its path, and has to fit', async () => {
    const workspaceId = await makeWorkspace(v4);
    await ran({ task: "Write 'first' to the file a.txt", workspaceId });
    await ran({ task: "Write '2nd' to the file a.txt", workspaceId });
    expect(await desk(v4, workspaceId).files()).toMatchObject([{ path: 'a.txt', size: 3 }]);
    const size = 50 * 1024 * 1024;
    const row = {
      workspaceId,
      contentType: 'a/b',
      size,
      mayOverride: 1,
      openUntil: 0,
      storedAt: 0,
    } as const;
    for (let number = 0; number < 21; number += 1)
      await started.backend.db
        .insertInto('files')
        .values({ ...row, id: `f${number}`, path: `big/${number}`, blobKey: 'x.bin' })
        .execute();
    const run = await ran({ task: "Write 'abc' to the file b.txt", workspaceId });
    expect(run['result']).toContain('The file b.txt was not saved: The workspace holds');
    expect(await desk(v4, workspaceId).paths('?prefix=b.')).toEqual([]);
  });
});

describe('a data folder of an earlier release', () => {
  it('gives every V4 session a workspace', async () => {
    await started.stop();
    const dataFolder = mkdtempSync(join(tmpdir(), 'svc-files-'));
    await start({ dataFolder });
    const { id, sessionId = null } = await create({ task: 'Say x' });
    await done(id);
    const { db } = started.backend;
    await db.deleteFrom('events').execute();
    await db.updateTable('sessions').set({ workspaceId: null }).execute();
    for (const statement of undo) await db.executeQuery({ ...db.selectFrom('files').compile(), sql: statement });
    await started.stop();
    await start({ dataFolder });
    const next = await create({ task: "Write 'abc' to the file a.txt", sessionId });
    await done(next['id']);
    expect(await desk(v4, String(next['workspaceId'])).paths()).toEqual(['a.txt']);
    rmSync(dataFolder, { recursive: true });
  });
});

/**
 * SQL statements that revert migrations, the latest first, down to and including the migration that has created
 * workspaces.
 */
const undo = [
  ...undoHashedTokens,
  ...['worker', 'folder'].map((column) => `alter table recordings drop column ${column}`),
  'drop table request_counts',
  'drop table totals',
  ...['runs_in_order', 'sessions_in_order', 'sessions_by_state', 'browsers_by_state'].map(
    (index) => `drop index ${index}`,
  ),
  ...['project_id', 'generation', 'deleted_at'].map((column) => `alter table runs drop column ${column}`),
  'create index sessions_by_project on sessions (project_id, generation, created_at)',
  ...['sessions', 'browsers'].flatMap((table) => [
    `drop index ${table}_by_owner`,
    ...['owner', 'owner_url'].map((column) => `alter table ${table} drop column ${column}`),
  ]),
  'drop table workers',
  ...['runs', 'queue_messages'].map((table) => `alter table ${table} drop column trace_parent`),
  'alter table projects drop column requests_per_second',
  'drop table console_links',
  'drop table console_sessions',
  'alter table projects drop column sessions_max',
  ...['name', 'last_used_at', 'expires_at', 'revoked_at'].map((column) => `alter table api_keys drop column ${column}`),
  'drop index sessions_by_inbox_email',
  'drop table mails',
  ...['title', 'judgement'].map((column) => `alter table runs drop column ${column}`),
  'drop table model_calls',
  ...['sessions', 'runs'].map((table) => `alter table ${table} drop column llm_picos`),
  ...['sessions', 'browsers'].flatMap((table) => [
    `drop index ${table}_by_view_token`,
    `alter table ${table} drop column view_token`,
  ]),
  'drop table recordings',
  'alter table browsers drop column enable_recording',
  'drop table profile_leases',
  ...['state_key', 'cookie_domains'].map((column) => `alter table profiles drop column ${column}`),
  'drop table pictures',
  'drop table shares',
  'alter table queue_messages drop column cut_run_id',
  'alter table projects drop column zero_data_retention',
  'drop index sessions_by_purge',
  'alter table sessions drop column purge_state',
  'alter table runs drop column secrets',
  'drop table downloads',
  ...['allows_resizing', 'shows_pdf', 'custom_proxy'].map((column) => `alter table browsers drop column ${column}`),
  'alter table sessions drop column custom_proxy',
  'drop table attachments',
  'drop index workspaces_by_owner',
  'alter table workspaces drop column owner_id',
  'drop index files_by_run',
  'alter table files drop column run_id',
  "delete from kysely_migration where name >= '0006-session-files'",
];
