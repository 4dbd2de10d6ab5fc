import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { type GatedHost, createGatedHost } from './support/gated-host.ts';
import { type ScriptedAgent, createScriptedAgent, waitForTask } from './support/scripted-agent.ts';
import { type StartedBackend, startBackend } from './support/start-backend.ts';

/**
 * This suite tests stops, deletions and shutdowns while the browser of a session starts or a task works. Some tests
 * delay a launch or a screenshot.
 */
describe('a session between two writes', () => {
  let agent: ScriptedAgent;
  let host: GatedHost;
  let started: StartedBackend;
  let api: ApiClient;

  beforeEach(async () => {
    agent = createScriptedAgent();
    host = createGatedHost();
    started = await startBackend({ agent, host });
    api = createApiClient(started.address);
  });
  afterEach(() => started.stop());

  const create = async (body: object): Promise<string> =>
    String((await api.call('POST', '/sessions', body)).body['id']);

  it.each(['stop', 'delete'])(
    'a %s while the browser starts leaves no browser, no open bill and no task',
    async (how) => {
      const release = host.holdLaunches();
      const id = await create({ task: 'never', keepAlive: true });
      const answer =
        how === 'stop' ? await api.call('POST', `/sessions/${id}/stop`) : await api.call('DELETE', `/sessions/${id}`);
      expect(answer.status).toBe(how === 'stop' ? 200 : 204);
      release();
      await expect.poll(() => host.alive.size).toBe(0);
      // The launch has completed by now, or completes later. In both cases no browser may be left.
      await started.backend.engine.close();
      expect(host.alive.size).toBe(0);
      expect(agent.running.size).toBe(0);
      const row = await started.backend.db
        .selectFrom('sessions')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      expect(row).toMatchObject({ status: 'stopped', browserSince: null });
      const [run] = await started.backend.db.selectFrom('runs').select('status').where('sessionId', '=', id).execute();
      expect(run?.status).toBe('cancelled');
    },
  );

  it('a stop with strategy task while the browser starts ends the task before it begins', async () => {
    const release = host.holdLaunches();
    const id = await create({ task: 'never', keepAlive: true });
    await api.call('POST', `/sessions/${id}/stop`, { strategy: 'task' });
    release();
    expect(await api.until(id, (session) => session['status'] === 'idle')).toMatchObject({
      stepCount: 0,
      isTaskSuccessful: null,
    });
    expect(agent.running.size).toBe(0);
  });

  it('a step of a task that was stopped is not booked on the next one', async () => {
    const id = await create({ task: 'old', keepAlive: true });
    const old = await waitForTask(agent, 'old');
    const release = host.holdScreenshots();
    const step = old.step(1000);
    const ended = step.then(
      () => 'booked',
      (error: unknown) => String(error),
    );
    expect((await api.call('POST', `/sessions/${id}/stop`, { strategy: 'task' })).body['status']).toBe('idle');
    expect((await api.call('POST', '/sessions', { sessionId: id, task: 'new' })).status).toBe(200);
    expect(await ended).toContain('stopped');
    // The old task's pending work has not ended, and the new task waits for it.
    expect(agent.running.has('new')).toBe(false);
    release();
    await waitForTask(agent, 'new');
    expect((await api.call('GET', `/sessions/${id}`)).body).toMatchObject({
      stepCount: 0,
      totalInputTokens: 0,
      lastStepSummary: null,
    });
    // A stop can still reach the new task.
    await api.call('POST', `/sessions/${id}/stop`, { strategy: 'task' });
    await expect.poll(() => agent.running.size).toBe(0);
  });

  it('an outcome that comes after a stop changes nothing', async () => {
    const id = await create({ task: 'late', keepAlive: true });
    const late = await waitForTask(agent, 'late');
    const stopped = api.call('POST', `/sessions/${id}/stop`);
    late.finish({ success: true, output: 'too late or in time' });
    await stopped;
    const session = await api.until(id, (found) => found['status'] === 'stopped');
    const [run] = await started.backend.db.selectFrom('runs').select('status').where('sessionId', '=', id).execute();
    // Either of the two may be first. The shown and the stored outcome must agree.
    expect([session['isTaskSuccessful'], run?.status]).toEqual(
      run?.status === 'succeeded' ? [true, 'succeeded'] : [null, 'cancelled'],
    );
  });

  it('a shutdown while browsers start, work and rest leaves none', async () => {
    const busy = await create({ task: 'busy', keepAlive: true });
    await waitForTask(agent, 'busy');
    const idle = await create({ keepAlive: true });
    await api.until(idle, (session) => session['status'] === 'idle');
    const release = host.holdLaunches();
    const starting = await create({ task: 'starting' });
    const closed = started.backend.engine.close();
    release();
    await closed;
    expect(host.alive.size).toBe(0);
    const rows = await started.backend.db.selectFrom('sessions').select(['id', 'status', 'browserSince']).execute();
    expect(new Map(rows.map((row) => [row.id, row.status]))).toEqual(
      new Map([
        [busy, 'error'],
        [idle, 'idle'],
        [starting, 'created'],
      ]),
    );
    expect(rows.map((row) => row.browserSince)).toEqual([null, null, null]);
  });

  it('counters never fall while a session is stopped under load', async () => {
    const id = await create({ task: 'count', keepAlive: true });
    const task = await waitForTask(agent, 'count');
    const seen: number[] = [];
    const watch = (async () => {
      for (let index = 0; index < 60; index += 1)
        seen.push(Number((await api.call('GET', `/sessions/${id}`)).body['totalCostUsd']));
    })();
    const steps = (async () => {
      for (let index = 0; index < 20; index += 1) await task.step(1000);
    })().catch((error: unknown) => expect(String(error)).toContain('stopped'));
    // The task is in progress: some usage is booked, and more follows.
    await api.until(id, (session) => Number(session['stepCount']) >= 1);
    await api.call('POST', `/sessions/${id}/stop`);
    await Promise.all([watch, steps]);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });
});

describe('an outputSchema from outside', () => {
  let started: StartedBackend;
  let api: ApiClient;
  beforeEach(async () => {
    started = await startBackend();
    api = createApiClient(started.address);
  });
  afterEach(() => started.stop());

  const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
  it.each([
    ['asynchronous validation', { $async: true, not: {} }],
    ['a schema nested too deep', { const: nested(60) }],
    ['a schema that is too large', { enum: Array.from({ length: 4000 }, (_, index) => `${index}`.padStart(20)) }],
    ['a schema of an unknown type', { type: 'foo' }],
    ['a reference to nowhere', { $ref: '#/$defs/nothing' }],
    ['a reference to another document', { $ref: 'https://schemas.example/x.json' }],
  ])('refuses %s before anything is created', async (_name, outputSchema) => {
    const refused = await api.call('POST', '/sessions', { task: 'svc-test: structured', outputSchema });
    expect(refused).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'outputSchema'], type: 'value_error' }] },
    });
    expect((await api.call('GET', '/sessions')).body['total']).toBe(0);
  });

  it('takes a schema that names another dialect', async () => {
    const outputSchema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      required: ['title'],
      properties: { title: { type: 'string' } },
    };
    const { body } = await api.call('POST', '/sessions', { task: 'svc-test: structured', outputSchema });
    expect(await api.until(String(body['id']), (session) => session['status'] === 'stopped')).toMatchObject({
      isTaskSuccessful: true,
      output: { title: expect.any(String) },
    });
  });

  it('answers a page number beyond all bounds with 422', async () => {
    for (const page of ['1e300', '99999999999999999999', '0', '1.5'])
      expect((await api.call('GET', `/sessions?page=${page}`)).status).toBe(422);
  });
});
