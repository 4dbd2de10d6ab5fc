import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentCrash } from '#agent/agent.ts';
import type { BrowserHost } from '#browsers/host.ts';
import { createSimulatedHost } from '#browsers/index.ts';
import { createClock } from '#lib/clock.ts';
import { openDatabase } from '#store/open-database.ts';
import { registerWorker } from '#store/queries/workers.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { copyState } from './support/copy-state.ts';
import { type ScriptedAgent, createScriptedAgent, waitForTask } from './support/scripted-agent.ts';
import { type StartedBackend, otherKey, startBackend } from './support/start-backend.ts';

const unknownId = '3f0c2b8e-5d1a-4c57-9e0b-6a7d2f1c8b90';

describe('V3 sessions', () => {
  let agent: ScriptedAgent;
  let started: StartedBackend;
  let api: ApiClient;

  beforeEach(async () => {
    agent = createScriptedAgent();
    started = await startBackend({ agent, activeSessionsMax: 3 });
    api = createApiClient(started.address);
  });
  afterEach(() => started.stop());

  const create = async (body: object): Promise<string> =>
    String((await api.call('POST', '/sessions', body)).body['id']);

  it('goes from created to running without a visible idle moment, then to stopped', async () => {
    const created = await api.call('POST', '/sessions', { task: 'a' });
    expect(created).toMatchObject({
      status: 200,
      body: { status: 'created', liveUrl: expect.stringContaining('/live/'), isTaskSuccessful: null },
    });
    const task = await waitForTask(agent, 'a');
    const id = String(created.body['id']);
    expect((await api.call('GET', `/sessions/${id}`)).body).toMatchObject({
      status: 'running',
      title: 'a',
      isTaskSuccessful: null,
      output: null,
    });
    await task.step();
    expect((await api.call('GET', `/sessions/${id}`)).body).toMatchObject({
      stepCount: 1,
      lastStepSummary: 'step of a',
    });
    task.finish({ success: true, output: 'done' });
    const ended = await api.until(id, (session) => session['status'] === 'stopped');
    expect(ended).toMatchObject({ output: 'done', isTaskSuccessful: true, stepCount: 1 });
  });

  it('returns to idle with keepAlive and follows the four rules of thinkingLevel', async () => {
    const id = await create({ task: 'first', keepAlive: true, model: 'gemini-3.1-pro', thinkingLevel: 'low' });
    const end = async (goal: string) => {
      (await waitForTask(agent, goal)).finish({ success: true, output: goal });
      return api.until(id, (session) => session['status'] === 'idle');
    };
    expect(await end('first')).toMatchObject({ thinkingLevel: 'low', output: 'first' });
    const follow = (body: object) => api.call('POST', '/sessions', { sessionId: id, ...body });

    expect(await follow({ task: 'keeps' })).toMatchObject({
      status: 200,
      body: { status: 'running', thinkingLevel: 'low', output: null, isTaskSuccessful: null },
    });
    expect(await end('keeps')).toMatchObject({ thinkingLevel: 'low', output: 'keeps' });
    await follow({ task: 'sets', thinkingLevel: 'high' });
    expect(await end('sets')).toMatchObject({ thinkingLevel: 'high' });
    await follow({ task: 'later' });
    expect(await end('later')).toMatchObject({ thinkingLevel: 'high' });
    await follow({ task: 'clears', thinkingLevel: null });
    expect(await end('clears')).toMatchObject({ thinkingLevel: null });
    // The default model of requests accepts every level, but the model of the session does not.
    const refused = await follow({ task: 'refused', thinkingLevel: 'medium' });
    expect(refused).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'thinkingLevel'] }] } });
    expect((await api.call('GET', `/sessions/${id}`)).body).toMatchObject({ status: 'idle', thinkingLevel: null });
  });

  it('refuses a follow-up to a session that works or does not exist, and one without a task', async () => {
    const id = await create({ task: 'busy', keepAlive: true, model: 'svc-max' });
    const task = await waitForTask(agent, 'busy');
    expect((await api.call('POST', '/sessions', { sessionId: id, task: 'too soon' })).status).toBe(409);
    expect((await api.call('POST', '/sessions', { sessionId: unknownId, task: 'x' })).status).toBe(404);
    expect((await api.call('POST', '/sessions', { sessionId: id })).status).toBe(422);
    task.finish({ success: true, output: null });
    await api.until(id, (session) => session['status'] === 'idle');
    for (const body of [{}, { task: '' }, { task: 'x', model: 'no-such-model' }])
      expect((await api.call('POST', '/sessions', { sessionId: id, ...body })).status).toBe(422);
    expect((await api.call('POST', '/sessions', { task: '' })).status).toBe(422);
    // Generated clients send the default of the schema with every request.
    const followed = await api.call('POST', '/sessions', { sessionId: id, task: 'x', model: 'claude-opus-4.7' });
    expect(followed).toMatchObject({ status: 200, body: { status: 'running', model: 'claude-sonnet-5' } });
  });

  it('shows title and last step of the running task, and no live view after the end', async () => {
    const id = await create({ task: 'first', keepAlive: true });
    const first = await waitForTask(agent, 'first');
    await first.step();
    first.finish({ success: true, output: null });
    await api.until(id, (session) => session['status'] === 'idle');
    const followed = await api.call('POST', '/sessions', { sessionId: id, task: 'second' });
    expect(followed.body).toMatchObject({ title: 'second', lastStepSummary: null, liveUrl: expect.any(String) });
    expect((await api.call('POST', `/sessions/${id}/stop`)).body).toMatchObject({ status: 'stopped', liveUrl: null });
  });

  it.each([0, '0', '0.0'])('accepts the ceiling %j and stops the task at its first step', async (maxCostUsd) => {
    const { status, body } = await api.call('POST', '/sessions', { task: 'x', maxCostUsd, keepAlive: true });
    expect([status, body['maxCostUsd']]).toEqual([200, '0']);
    await expect((await waitForTask(agent, 'x')).step()).rejects.toThrow('the task was ended: ceiling');
    const ended = await api.until(String(body['id']), ({ status: now }) => now === 'idle');
    expect(ended).toMatchObject({ isTaskSuccessful: false, stepCount: 1 });
  });

  it.each([-1, '-1', '-0.0000001', '9007199255'])('rejects the ceiling %j with 422', async (maxCostUsd) => {
    expect((await api.call('POST', '/sessions', { task: 'x', maxCostUsd })).status).toBe(422);
  });

  it('rejects a maxCostUsd that is not a number with 422, and names the decimal string that it expects', async () => {
    const { status, body } = await api.call('POST', '/sessions', { task: 'x', maxCostUsd: '-' });
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('Expected a decimal string')]);
  });

  it('lets the spelling useOwnKey win over use_own_key', async () => {
    const own = { useOwnKey: false, use_own_key: true };
    expect((await api.call('POST', '/sessions', { task: 'x', ...own })).status).toBe(200);
  });

  it('publishes documents that name the service as their server', async () => {
    const document: unknown = await (await fetch(`${started.address}/openapi/v3.json`)).json();
    expect(document).toMatchObject({ servers: [{ url: `${started.address}/api/v3` }] });
  });

  it('lets only one of ten follow-ups at the same time through', async () => {
    const id = await create({ keepAlive: true });
    await api.until(id, (session) => session['status'] === 'idle');
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => api.call('POST', '/sessions', { sessionId: id, task: `task ${index}` })),
    );
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 9 }, () => 409),
    ]);
    expect(agent.running.size).toBeLessThanOrEqual(1);
  });

  it('stops a session, repeats without effect, and refuses a further task', async () => {
    const id = await create({ task: 'long', keepAlive: true });
    await waitForTask(agent, 'long');
    const stopped = await api.call('POST', `/sessions/${id}/stop`);
    expect(stopped).toMatchObject({ status: 200, body: { status: 'stopped', isTaskSuccessful: null } });
    expect((await api.call('POST', `/sessions/${id}/stop`)).body).toEqual({
      ...stopped.body,
      screenshotUrl: expect.any(String),
    });
    expect((await api.call('POST', '/sessions', { sessionId: id, task: 'x' })).status).toBe(409);
    expect(agent.running.size).toBe(0);
  });

  it('stops only the task with strategy task', async () => {
    const id = await create({ task: 'long', keepAlive: true });
    await waitForTask(agent, 'long');
    expect((await api.call('POST', `/sessions/${id}/stop`, { strategy: 'task' })).body).toMatchObject({
      status: 'idle',
      isTaskSuccessful: null,
    });
    expect((await api.call('POST', '/sessions', { sessionId: id, task: 'next' })).status).toBe(200);
  });

  it('ends a task at its cost ceiling, unsuccessful', async () => {
    const id = await create({ task: 'dear', maxCostUsd: '0.01' });
    const task = await waitForTask(agent, 'dear');
    await expect(task.step(1_000_000)).rejects.toThrow('ceiling');
    const ended = await api.until(id, (session) => session['status'] === 'stopped');
    expect(ended).toMatchObject({ isTaskSuccessful: false, maxCostUsd: '0.01' });
  });

  it('adds its costs up exactly and keeps them after the end', async () => {
    const id = await create({ task: 'sum' });
    const task = await waitForTask(agent, 'sum');
    await task.step(123_457);
    started.clock.advance(200_000);
    task.finish({ success: true, output: null });
    const ended = await api.until(id, (session) => session['status'] === 'stopped');
    const micros = (name: string): number => Math.round(Number(ended[name]) * 1_000_000);
    expect(micros('totalCostUsd')).toBe(micros('llmCostUsd') + micros('proxyCostUsd') + micros('browserCostUsd'));
    expect(ended['browserCostUsd']).toBe('0.001334');
    started.clock.advance(3_600_000);
    expect((await api.call('GET', `/sessions/${id}`)).body).toMatchObject({
      totalCostUsd: ended['totalCostUsd'],
      updatedAt: ended['updatedAt'],
    });
  });

  it('times an idle session out, and only an idle one', async () => {
    const idle = await create({ keepAlive: true });
    const busy = await create({ task: 'busy', keepAlive: true });
    await api.until(idle, (session) => session['status'] === 'idle');
    await waitForTask(agent, 'busy');
    started.clock.advance(899_000);
    expect((await api.call('GET', `/sessions/${idle}`)).body['status']).toBe('idle');
    started.clock.advance(2_000);
    await api.until(idle, (session) => session['status'] === 'timed_out');
    expect((await api.call('GET', `/sessions/${busy}`)).body['status']).toBe('running');
  });

  it('ends in error when the sandbox does not start, when it fails, and when the agent crashes', async () => {
    await fetch(`${started.control}/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"sandboxStart":"fail"}',
    });
    const failed = await create({ task: 'never' });
    await api.until(failed, (session) => session['status'] === 'error');
    await fetch(`${started.control}/reset`, { method: 'POST' });

    const crashed = await create({ task: 'crashes' });
    (await waitForTask(agent, 'crashes')).fail(new AgentCrash('sandbox gone'));
    expect(await api.until(crashed, (session) => session['status'] === 'error')).toMatchObject({
      isTaskSuccessful: false,
    });

    const idle = await create({ keepAlive: true });
    await api.until(idle, (session) => session['status'] === 'idle');
    await fetch(`${started.control}/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ crashSession: idle }),
    });
    expect(await api.until(idle, (session) => session['status'] === 'error')).toMatchObject({ isTaskSuccessful: null });
  });

  it('answers 429 without a side effect when the project has as many sessions as it may', async () => {
    for (let index = 0; index < 3; index += 1) await create({ keepAlive: true });
    const refused = await api.call('POST', '/sessions', { task: 'one too many' });
    expect(refused).toEqual({
      status: 429,
      body: { detail: expect.stringContaining('Too many concurrent active sessions') },
    });
    expect((await api.call('GET', '/sessions')).body['total']).toBe(3);
    const other = createApiClient(started.address, otherKey);
    expect((await other.call('POST', '/sessions', {})).status).toBe(200);
  });

  it('keeps projects apart', async () => {
    const id = await create({ keepAlive: true });
    const other = createApiClient(started.address, otherKey);
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/stop'],
      ['DELETE', ''],
    ] as const) {
      expect((await other.call(method, `/sessions/${id}${path}`)).status).toBe(404);
    }
    expect((await other.call('POST', '/sessions', { sessionId: id, task: 'x' })).status).toBe(404);
    expect((await other.call('GET', '/sessions')).body).toMatchObject({ sessions: [], total: 0 });
  });

  it('hands out a new screenshot address on every fetch, each for five minutes', async () => {
    const id = await create({ keepAlive: true });
    const first = await api.until(id, (session) => session['screenshotUrl'] !== null);
    const second = (await api.call('GET', `/sessions/${id}`)).body;
    expect(first['screenshotUrl']).not.toBe(second['screenshotUrl']);
    const url = String(second['screenshotUrl']);
    const answer = await fetch(url);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    const forged = url.replace(/(?<=signature=)./, (letter) => (letter === '_' ? 'A' : '_'));
    expect((await fetch(forged)).status).toBe(403);
    expect((await fetch(url.replace(/expires=\d/, 'expires=9'))).status).toBe(403);
    started.clock.advance(299_000);
    expect((await fetch(url)).status).toBe(200);
    started.clock.advance(2_000);
    expect((await fetch(url)).status).toBe(403);
    expect((await api.call('GET', '/sessions')).body).toMatchObject({ sessions: [{ screenshotUrl: null }] });
  });

  it('shows the browser in a page that may be framed', async () => {
    const id = await create({ keepAlive: true });
    const session = await api.until(id, (found) => found['status'] === 'idle');
    const page = await fetch(String(session['liveUrl']));
    expect([page.status, page.headers.get('x-frame-options')]).toEqual([200, null]);
    expect(page.headers.get('content-security-policy')).toContain('frame-ancestors *');
    expect((await fetch(`${started.address}/live/nobody`)).status).toBe(404);
  });

  it('deletes a session, stopping it first', async () => {
    const id = await create({ task: 'long', keepAlive: true });
    await waitForTask(agent, 'long');
    expect((await api.call('DELETE', `/sessions/${id}`)).status).toBe(204);
    expect((await api.call('GET', `/sessions/${id}`)).status).toBe(404);
    expect((await api.call('DELETE', `/sessions/${id}`)).status).toBe(404);
    expect(agent.running.size).toBe(0);
  });

  it('pages through its sessions, newest first, without loss or repeat', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      ids.unshift(await create({ keepAlive: true }));
      started.clock.advance(1);
    }
    const pages = await Promise.all([1, 2, 3].map((page) => api.call('GET', `/sessions?page=${page}&page_size=2`)));
    expect(pages.flatMap(({ body }) => body['sessions'] as { id: string }[]).map(({ id }) => id)).toEqual(ids);
    expect(pages[0]?.body).toMatchObject({ total: 3, page: 1, pageSize: 2 });
  });
});

describe('a service that starts again', () => {
  it('finds every session again: the running task ended as a crash, the idle session idle, the queued task run', async () => {
    const agent = createScriptedAgent();
    const first = await startBackend({ agent });
    const api = createApiClient(first.address);
    const make = async (body: object): Promise<string> =>
      String((await api.call('POST', '/sessions', body)).body['id']);
    const running = await make({ task: 'runs', keepAlive: true });
    const idle = await make({ keepAlive: true });
    const queued = await make({ task: 'waits' });
    await waitForTask(agent, 'runs');
    await waitForTask(agent, 'waits');
    await api.until(idle, (session) => session['status'] === 'idle');
    // Copies the state on disk without a clean shutdown, as kill -9 leaves it.
    const copy = await copyState(first);
    await putBack(copy.database, queued);
    await first.stop();

    const second = await startBackend({ agent, ...copy });
    try {
      const again = createApiClient(second.address);
      expect((await again.call('GET', `/sessions/${running}`)).body).toMatchObject({
        status: 'error',
        isTaskSuccessful: false,
      });
      expect((await again.call('GET', `/sessions/${idle}`)).body).toMatchObject({ status: 'idle' });
      (await waitForTask(agent, 'waits')).finish({ success: true, output: 'ran once' });
      expect(await again.until(queued, (session) => session['status'] === 'stopped')).toMatchObject({
        output: 'ran once',
      });
      expect((await again.call('POST', '/sessions', { sessionId: idle, task: 'after the restart' })).status).toBe(200);
      (await waitForTask(agent, 'after the restart')).finish({ success: true, output: 'fresh browser' });
      await again.until(idle, (session) => session['output'] === 'fresh browser');
    } finally {
      await second.stop();
      copy.remove();
    }
  });
});

it.each([
  { away: 'for a moment', awayMs: 0 },
  { away: 'for ten minutes', awayMs: 600_000 },
])('what a browser has cost stays when its service is killed and away $away', async ({ awayMs }) => {
  const livedMs = 390_000;
  const first = await startBackend();
  const api = createApiClient(first.address);
  const { id } = (await api.call('POST', '/sessions', { keepAlive: true })).body;
  await api.until(String(id), (session) => session['status'] === 'idle');
  const costNow = async (of: ApiClient): Promise<number> =>
    Number((await of.call('GET', `/sessions/${String(id)}`)).body['browserCostUsd']);
  const atFirst = await costNow(api);
  first.clock.advance(livedMs);
  const before = await costNow(api);
  expect(before).toBeCloseTo(7 * atFirst, 5);
  const copy = await copyState(first);
  await first.stop();
  const clock = createClock();
  clock.advance(livedMs + awayMs);
  const lastSign = new Date(Date.now() - awayMs);
  writeFileSync(join(copy.dataFolder, '.alive'), '');
  utimesSync(join(copy.dataFolder, '.alive'), lastSign, lastSign);
  const second = await startBackend({ ...copy, clock });
  try {
    expect(await costNow(createApiClient(second.address))).toBe(before);
  } finally {
    await second.stop();
    copy.remove();
  }
});

it('what a browser has cost stays when its worker is cleared up after, and no end comes before what another clock has written', async () => {
  const started = await startBackend();
  try {
    const { backend, clock, address } = started;
    const api = createApiClient(address);
    const id = String((await api.call('POST', '/sessions', { keepAlive: true })).body['id']);
    await api.until(id, (session) => session['status'] === 'idle');
    await registerWorker(backend.db, { id: 'dead', role: 'worker', url: 'http://dead' });
    await backend.db.updateTable('sessions').set({ owner: 'dead' }).where('id', '=', id).execute();
    clock.advance(390_000);
    const costNow = async (): Promise<unknown> => (await api.call('GET', `/sessions/${id}`)).body['browserCostUsd'];
    const before = await costNow();
    await backend.engine.reclaim('dead');
    expect(await costNow()).toBe(before);
    const ahead = clock.now() + 60_000;
    await backend.db.updateTable('sessions').set({ updatedAt: ahead }).where('id', '=', id).execute();
    const stopped = await api.call('POST', `/sessions/${id}/stop`, {});
    expect(Date.parse(String(stopped.body['updatedAt']))).toBe(ahead);
  } finally {
    await started.stop();
  }
});

/**
 * Puts the task of a session back into the queue, as it is when the process ends before the session's sandbox has
 * started.
 */
async function putBack(database: string, id: string): Promise<void> {
  const db = await openDatabase(database);
  await db.updateTable('sessions').set({ status: 'created' }).where('id', '=', id).execute();
  await db.updateTable('runs').set({ status: 'queued' }).where('sessionId', '=', id).execute();
  await db.destroy();
}

it('a first picture that cannot be taken costs the picture, and no key of it is left', async () => {
  const simulated = createSimulatedHost();
  const blocked = new Error('The page gave no screenshot within 10 s.');
  const host: BrowserHost = {
    ...simulated,
    launch: async (options) => ({ ...(await simulated.launch(options)), screenshot: () => Promise.reject(blocked) }),
  };
  const started = await startBackend({ host });
  try {
    const api = createApiClient(started.address);
    const { id } = (await api.call('POST', '/sessions', { keepAlive: true })).body;
    expect(await api.until(String(id), ({ status }) => status === 'idle')).toMatchObject({ screenshotUrl: null });
    expect(await started.backend.db.selectFrom('loose_blobs').selectAll().execute()).toEqual([]);
  } finally {
    await started.stop();
  }
});
