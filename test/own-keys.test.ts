import { spawn } from 'node:child_process';
import { chmodSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelRoute } from '#agent/model/model-call.ts';
import type { ProviderKeys } from '#accounts/provider-keys.ts';
import { defaultRules } from '#contract/rule-book.ts';
import type { JsonObject } from '#lib/json.ts';
import { AdminFault, withProviderKeys } from '../src/cli/admin/admin-database.ts';
import { keyVariable, knownProvider, readKey } from '../src/cli/admin/values.ts';
import { createApiClient } from './support/api-client.ts';
import { type ScriptedAgent, createScriptedAgent, waitForTask } from './support/scripted-agent.ts';
import { type ScriptedModels, asking, createScriptedModels, replied } from './support/scripted-models.ts';
import { type StartedBackend, otherKey, startBackend, testKey } from './support/start-backend.ts';

const ownKey = 'sk-own-0123456789-abcdefgh';

let started: StartedBackend;
let agent: ScriptedAgent;
let models: ScriptedModels;
let logged: string;

beforeEach(() => start());
afterEach(() => started.stop());

async function start(routes?: ReadonlyMap<string, ModelRoute>): Promise<void> {
  agent = createScriptedAgent();
  models = createScriptedModels(routes);
  logged = '';
  const sink = new Writable({
    write(chunk, _encoding, done) {
      logged += String(chunk);
      done();
    },
  });
  started = await startBackend({ agent, models, log: pino({ level: 'trace' }, sink) });
}

async function startAgain(routes: ReadonlyMap<string, ModelRoute>): Promise<void> {
  await started.stop();
  await start(routes);
}

const client = (version: 'v2' | 'v3' | 'v4', key = testKey) => createApiClient(started.address, key, version);
const isIdle = ({ status }: JsonObject): boolean => status === 'idle' || status === 'stopped';
const isEnded = ({ status }: JsonObject): boolean => ['completed', 'failed', 'cancelled'].includes(String(status));

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs `svc admin provider-key` in a separate process, while the service runs. */
async function admin(args: readonly string[], input = ''): Promise<Ran> {
  const project = await started.backend.db.selectFrom('projects').select('id').orderBy('createdAt').execute();
  const place = ['--data', started.dataFolder, '--project', String(project[0]?.id)];
  const child = spawn(process.execPath, ['src/cli/main.ts', 'admin', 'provider-key', ...args, ...place]);
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, out, err };
}

/** Changes the keys of the first project through a separate connection, like another process. */
async function changeKeys<Result>(work: (keys: ProviderKeys, projectId: string) => Promise<Result>): Promise<Result> {
  const projects = await started.backend.db.selectFrom('projects').select('id').orderBy('createdAt').execute();
  return withProviderKeys({ data: started.dataFolder, project: String(projects[0]?.id) }, work);
}

const store = (provider: string): Promise<void> =>
  changeKeys((keys, projectId) => keys.set(projectId, { provider, key: ownKey, nowMs: 0 }));

/**
 * Makes a model call as the agent of a running task. Returns the project's provider key that was used for this call.
 */
async function keyOfRun(goal: string): Promise<unknown> {
  await (await waitForTask(agent, goal)).world.model?.call(asking(10));
  return models.calls.at(-1)?.choice.ownKey;
}

/** Timeout for several processes that start one after another. */
const processesMs = 120_000;

describe('provider keys', () => {
  it(
    'are stored, listed by their last four characters and removed while the service runs',
    async () => {
      expect(await admin(['set', 'openai'], `${ownKey}\n`)).toEqual({
        code: 0,
        out: 'stored a key of openai that ends in efgh\n',
        err: '',
      });
      expect((await admin(['list'])).out).toMatch(/^openai {7}\.\.\.efgh {2}\d{4}-\d\d-\d\dT[\d:.]+Z\n$/);
      expect(await admin(['remove', 'openai'])).toMatchObject({ code: 0, out: 'deleted the key of openai\n' });
    },
    processesMs,
  );

  it('are one for each provider, the later one', async () => {
    await store('openai');
    const listed = await changeKeys(async (keys, projectId) => {
      await keys.set(projectId, { provider: 'openai', key: 'another-key', nowMs: 7 });
      return [await keys.list(projectId), await keys.readKey(projectId, 'openai'), await keys.remove(projectId, 'zai')];
    });
    expect(listed).toEqual([[{ provider: 'openai', lastFour: '-key', createdAtMs: 7 }], 'another-key', false]);
  });

  it.each(['', 'short', 'my secret key of two words', 'k\u00e9y-with-an-accent'])(
    'are refused without being shown when they are malformed: %j',
    async (given) => {
      const refused = readKey({ environment: {}, input: Readable.from([given]) });
      await expect(refused).rejects.toThrow(`found ${given.length} characters, expected a key`);
      await expect(readKey({ environment: { [keyVariable]: ownKey }, input: Readable.from([given]) })).resolves.toBe(
        ownKey,
      );
    },
  );

  it('are sealed with what the processes of a service share, where it has such a file', async () => {
    const secretFile = join(started.dataFolder, 'shared-secret');
    writeFileSync(secretFile, 'x'.repeat(32), { mode: 0o600 });
    const [first] = await started.backend.db.selectFrom('projects').select('id').orderBy('createdAt').execute();
    const place = { data: started.dataFolder, project: String(first?.id) };
    const key = await withProviderKeys({ ...place, secretFile }, async (keys, projectId) => {
      await keys.set(projectId, { provider: 'openai', key: ownKey, nowMs: 0 });
      return keys.readKey(projectId, 'openai');
    });
    expect(key).toBe(ownKey);
    await expect(changeKeys((keys, projectId) => keys.readKey(projectId, 'openai'))).rejects.toThrow('authenticate');
    await changeKeys((keys, projectId) => keys.remove(projectId, 'openai'));
    chmodSync(secretFile, 0o644);
    const open = withProviderKeys({ ...place, secretFile }, async () => undefined);
    await expect(open).rejects.toThrow(AdminFault);
    await expect(open).rejects.toThrow('open to others');
  });

  it('are refused for a provider that has no models, and for a project or folder that is not there', async () => {
    expect(() => knownProvider(defaultRules, 'unlisted')).toThrow('Expected one of anthropic, google');
    expect(() => knownProvider(defaultRules, 'svc')).toThrow(AdminFault);
    const unnamed = withProviderKeys({ data: started.dataFolder }, async () => undefined);
    await expect(unnamed).rejects.toThrow('found 2 projects, expected one');
    await expect(withProviderKeys({ data: '/nowhere' }, async () => undefined)).rejects.toThrow(AdminFault);
  });
});

describe('a V3 session', () => {
  it.each(['useOwnKey', 'use_own_key'])(
    'needs %s and a stored key for own-key models, and is served with that key alone',
    async (option) => {
      const api = client('v3');
      const body = { task: 'goal', model: 'gpt-5.2', keepAlive: true };
      expect((await api.call('POST', '/sessions', body)).status).toBe(422);
      const wanted = { ...body, [option]: true };
      const missing = await api.call('POST', '/sessions', wanted);
      expect(missing.status).toBe(422);
      expect(JSON.stringify(missing.body)).toContain('No key of provider');
      expect(agent.running.size).toBe(0);
      await store('openai');
      expect((await client('v3', otherKey).call('POST', '/sessions', wanted)).status).toBe(422);
      const { body: session } = await api.call('POST', '/sessions', wanted);
      expect(await keyOfRun('goal')).toEqual({ provider: 'openai', key: ownKey });
      (await waitForTask(agent, 'goal')).finish({ success: true, output: 'ok' });
      await api.until(String(session['id']), isIdle);
      await changeKeys((keys, projectId) => keys.remove(projectId, 'openai'));
      const followUp = { task: 'more', sessionId: session['id'] };
      expect((await api.call('POST', '/sessions', followUp)).status).toBe(422);
    },
  );

  it.each(['useOwnKey', 'use_own_key'])(
    'takes %s of a follow-up in place of the option of its creation',
    async (option) => {
      await store('openai');
      const api = client('v3');
      const { body: session } = await api.call('POST', '/sessions', {
        model: 'gpt-5.2',
        useOwnKey: true,
        keepAlive: true,
      });
      const followUp = { sessionId: session['id'], task: 'goal' };
      expect((await api.call('POST', '/sessions', { ...followUp, [option]: false })).status).toBe(422);
      expect((await api.call('POST', '/sessions', { ...followUp, [option]: true })).status).toBe(200);
    },
  );

  it('pays nothing for tokens that its own key pays for, and counts them', async () => {
    await store('openai');
    models.answering = async () => replied(1000, 100);
    const wanted = { task: 'goal', model: 'gpt-5.2', useOwnKey: true };
    const { body: session } = await client('v3').call('POST', '/sessions', wanted);
    await keyOfRun('goal');
    (await waitForTask(agent, 'goal')).finish({ success: true, output: 'ok' });
    expect(await client('v3').until(String(session['id']), isIdle)).toMatchObject({
      totalInputTokens: 1000,
      totalOutputTokens: 100,
      llmCostUsd: '0',
    });
  });

  it.each([
    { name: 'an own key alone', routes: [], model: 'gpt-5.5', status: 422 },
    { name: 'an own key alone', routes: [], model: 'gpt-5.6-sol', status: 422 },
    { name: 'an own key alone', routes: [], model: 'gpt-5.4-mini', status: 200 },
    { name: 'other providers', routes: [['anthropic', 'direct']], model: 'gpt-5.6-sol', status: 422 },
    { name: 'a direct key', routes: [['openai', 'direct']], model: 'gpt-5.6-sol', status: 200 },
    { name: 'a cloud route', routes: [['openai', 'cloud']], model: 'gpt-5.6-luna', status: 200 },
    { name: 'a direct key', routes: [['openai', 'direct']], model: 'gpt-5.5', status: 422 },
    { name: 'a cloud route', routes: [['openai', 'cloud']], model: 'gpt-5.5', status: 200 },
    { name: 'other providers', routes: [['anthropic', 'direct']], model: 'claude-opus-4.7', status: 200 },
  ] as const)('of $model on a service with $name: $status', async ({ routes, model, status }) => {
    await startAgain(new Map<string, ModelRoute>(routes));
    const answer = await client('v3').call('POST', '/sessions', { task: 'goal', model });
    expect(answer.status).toBe(status);
    if (status === 422) expect(JSON.stringify(answer.body)).toContain(`no route to model \\"${model}\\"`);
  });
});

describe('a V4 run', () => {
  it('is served with a stored key of its model by itself, from the next run on', async () => {
    const api = client('v4');
    await api.call('POST', '/runs', { task: 'before', model: 'gpt-5.6-luna' });
    expect(await keyOfRun('before')).toBeNull();
    await store('openai');
    await api.call('POST', '/runs', { task: 'after', model: 'gpt-5.6-luna' });
    expect(await keyOfRun('after')).toEqual({ provider: 'openai', key: ownKey });
    await api.call('POST', '/runs', { task: 'other provider', model: 'glm-5.2' });
    expect(await keyOfRun('other provider')).toBeNull();
    await client('v4', otherKey).call('POST', '/runs', { task: 'other project', model: 'gpt-5.6-luna' });
    expect(await keyOfRun('other project')).toBeNull();
  });
});

describe('a V2 task', () => {
  it('uses the route of the service, whatever is stored', async () => {
    await store('openai');
    await client('v2').call('POST', '/tasks', { task: 'goal', llm: 'gpt-5.5' });
    expect(await keyOfRun('goal')).toBeNull();
  });
});

describe('an own key', () => {
  it('is nowhere but in the request to its provider, whatever goes wrong', async () => {
    await store('openai');
    const api = client('v4');
    const said = `bad key ${ownKey}`;
    models.answering = async () => ({
      ok: false,
      failure: { kind: 'unauthorised', message: said },
      usage: { inputTokens: 0, outputTokens: 0 },
    });
    const { body: told } = await api.call('POST', '/runs', { task: 'tells', model: 'gpt-5.6-luna' });
    expect(await keyOfRun('tells')).toEqual({ provider: 'openai', key: ownKey });
    const tells = await waitForTask(agent, 'tells');
    await tells.world.step({ summary: said, action: { said }, url: said, usage: { inputTokens: 0, outputTokens: 0 } });
    tells.finish({ success: false, output: { said }, reason: said });
    const { body: failed } = await api.call('POST', '/runs', { task: 'fails', model: 'gpt-5.6-luna' });
    (await waitForTask(agent, 'fails')).fail(new Error(said));
    const seen: unknown[] = [];
    for (const id of [String(told['id']), String(failed['id'])]) {
      seen.push(await api.until(id, isEnded), await api.call('GET', `/runs/${id}/events`));
      seen.push(await api.call('GET', '/sessions'));
    }
    expect(JSON.stringify(seen)).toContain('bad key');
    expect(JSON.stringify(seen)).not.toContain(ownKey);
    expect(logged).toContain('the agent failed');
    expect(logged).not.toContain(ownKey);
    expect(filesWith(started.dataFolder, ownKey)).toEqual([]);
  });
});

/** Returns the files below a folder whose bytes contain a text. */
function filesWith(folder: string, wanted: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.filter((file) => readFileSync(file).includes(wanted));
}
