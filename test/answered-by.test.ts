import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asKysely } from '#store/database.ts';
import { setWorkersOfRuns } from '#store/migrations/0030-to-0034.ts';
import type { JsonObject } from '#lib/json.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { createScriptedAgent, waitForTask } from './support/scripted-agent.ts';
import { createScriptedModels, asking, replied } from './support/scripted-models.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';

/** A service without a model provider, which runs test tasks. */
let started: StartedBackend;

beforeAll(async () => {
  started = await startBackend();
});
afterAll(() => started.stop());

const api = (version: 'v2' | 'v3' | 'v4', { address }: StartedBackend = started): ApiClient =>
  createApiClient(address, testKey, version);

/** Runs a task in each generation. Returns the final records of the V2 task, the V3 session and the V4 run. */
async function ended(task: string): Promise<Readonly<Record<'v2' | 'v3' | 'v4', JsonObject>>> {
  const v2 = String((await api('v2').call('POST', '/tasks', { task })).body['id']);
  const v3 = String((await api('v3').call('POST', '/sessions', { task })).body['id']);
  const v4 = String((await api('v4').call('POST', '/runs', { task })).body['id']);
  return {
    v2: await api('v2').until(v2, ({ status }) => status === 'finished'),
    v3: await api('v3').until(v3, ({ status }) => status === 'stopped'),
    v4: await api('v4').until(v4, ({ status }) => status === 'completed'),
  };
}

describe('a task that the offline planner answers', () => {
  it.each(['Say hello', 'Vorrei un cappuccino'])(
    'says so in every generation and costs no tokens: %s',
    async (task) => {
      const { v2, v3, v4 } = await ended(task);
      expect([v2['answeredBy'], v3['answeredBy'], v4['answeredBy']]).toEqual(Array(3).fill('offline_planner'));
      expect([v3['totalInputTokens'], v3['totalOutputTokens'], v3['llmCostUsd']]).toEqual([0, 0, '0']);
      expect([v4['totalInputTokens'], v4['totalOutputTokens']]).toEqual([0, 0]);
      const rows = await started.backend.db.selectFrom('runs').select('llmPicos').execute();
      expect(rows.every(({ llmPicos: picos }) => picos === 0)).toBe(true);
    },
  );

  it('is null before that is known, and again for the follow-up of a session', async () => {
    const { body } = await api('v3').call('POST', '/sessions', { task: 'Say hello', keepAlive: true });
    expect(body['answeredBy']).toBeNull();
    const id = String(body['id']);
    expect(await api('v3').until(id, ({ status }) => status === 'idle')).toMatchObject({
      answeredBy: 'offline_planner',
    });
    const followed = await api('v3').call('POST', '/sessions', { task: 'Say more', sessionId: id });
    expect(followed.body['answeredBy']).toBeNull();
  });
});

describe('a task that a model answers', () => {
  it('says so, with the tokens of its calls', async () => {
    const [agent, models] = [createScriptedAgent(), createScriptedModels()];
    const served = await startBackend({ agent, models });
    try {
      const v4 = api('v4', served);
      const id = String((await v4.call('POST', '/runs', { task: 'goal' })).body['id']);
      const task = await waitForTask(agent, 'goal');
      models.answering = async () => replied(1000, 500);
      await task.world.model?.call(asking(1000));
      task.finish({ success: true, output: 'ok' });
      const run = await v4.until(id, ({ status }) => status === 'completed');
      expect(run).toMatchObject({ answeredBy: 'model', totalInputTokens: 1000, totalOutputTokens: 500 });
    } finally {
      await served.stop();
    }
  });
});

describe('a test task', () => {
  it('is a simulation, with simulated tokens', async () => {
    const { v2, v3, v4 } = await ended('svc-test: succeed');
    expect([v2['answeredBy'], v3['answeredBy'], v4['answeredBy']]).toEqual(Array(3).fill('simulation'));
    expect(Number(v3['llmCostUsd'])).toBeGreaterThan(0);
    expect(v4['totalInputTokens']).toBeGreaterThan(0);
  });
});

describe('runs of an earlier release', () => {
  it("are a model's where a call was booked, the planner's where they ended without one, and unknown otherwise", async () => {
    const { db } = started.backend;
    const v4 = api('v4');
    const run = async (task: string): Promise<string> => String((await v4.call('POST', '/runs', { task })).body['id']);
    const [model, planner, stopped] = [await run('Say one'), await run('Say two'), await run('svc-test: slow 600')];
    for (const id of [model, planner]) await v4.until(id, ({ status }) => status === 'completed');
    await v4.call('POST', `/runs/${stopped}/cancel`);
    const row = await db.selectFrom('runs').selectAll().where('id', '=', model).executeTakeFirstOrThrow();
    const call = { sessionId: row.sessionId, runId: model, type: 'model.call', data: '{}' };
    await db
      .insertInto('events')
      .values({ ...call, createdAt: row.createdAt })
      .execute();
    await db.deleteFrom('steps').where('runId', '=', stopped).execute();
    await db.updateTable('runs').set({ answeredBy: null }).execute();
    await setWorkersOfRuns(asKysely(db));
    const found = await Promise.all(
      [model, planner, stopped].map(async (id) => (await v4.call('GET', `/runs/${id}`)).body['answeredBy']),
    );
    expect(found).toEqual(['model', 'offline_planner', null]);
    const session = db.selectFrom('sessions').select('answeredBy').where('id', '=', row.sessionId);
    expect(await session.executeTakeFirstOrThrow()).toEqual({ answeredBy: 'model' });
  });
});
