import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { type ScriptedAgent, createScriptedAgent, waitForTask } from './support/scripted-agent.ts';
import { type StartedBackend, otherKey, startBackend, testKey } from './support/start-backend.ts';
import { createSimulatedHost } from '#browsers/index.ts';

let started: StartedBackend;
let agent: ScriptedAgent;
let api: ApiClient;

beforeEach(async () => {
  agent = createScriptedAgent();
  started = await startBackend({ agent });
  api = createApiClient(started.address, testKey, 'v4');
});

afterEach(() => started.stop());

const isEnded = ({ status }: JsonObject): boolean => ['completed', 'failed', 'cancelled'].includes(String(status));

async function create(body: JsonObject): Promise<string> {
  const { status, body: run } = await api.call('POST', '/runs', body);
  expect([status, run['status']]).toEqual([200, 'queued']);
  return String(run['id']);
}

async function eventTypes(id: string, query = ''): Promise<unknown[]> {
  const { body } = await api.call('GET', `/runs/${id}/events${query}`);
  return (body['events'] as JsonObject[]).map((event) => event['type']);
}

describe('a V4 run', () => {
  it('works, shows its result and stays as it ended', async () => {
    const id = await create({ task: 'goal' });
    const task = await waitForTask(agent, 'goal');
    expect(await api.call('GET', `/runs/${id}/status`)).toEqual({ status: 200, body: { status: 'running' } });
    await task.step(7);
    task.finish({ success: true, output: 'found it' });
    const run = await api.until(id, isEnded);
    expect(run).toMatchObject({ status: 'completed', result: 'found it', error: null, totalInputTokens: 7 });
    const { body: cancelled } = await api.call('POST', `/runs/${id}/cancel`);
    expect(cancelled).toEqual(run);
  });

  it.each([
    { name: 'gave up', outcome: { success: false, output: null, reason: 'no such page' }, result: 'no such page' },
    { name: 'structured output', outcome: { success: true, output: { title: 'x' } }, result: '{"title":"x"}' },
  ])('$name: completed, with words', async ({ outcome, result }) => {
    const id = await create({ task: 'goal' });
    (await waitForTask(agent, 'goal')).finish(outcome);
    expect(await api.until(id, isEnded)).toMatchObject({ status: 'completed', result });
  });

  it('fails with a reason when its sandbox does', async () => {
    const id = await create({ task: 'goal' });
    (await waitForTask(agent, 'goal')).fail(new Error('boom'));
    expect(await api.until(id, isEnded)).toMatchObject({ status: 'failed', result: null, error: 'boom' });
    expect((await eventTypes(id)).at(-1)).toBe('run.failed');
  });

  it('is cancelled while it runs', async () => {
    const id = await create({ task: 'goal' });
    await waitForTask(agent, 'goal');
    const { body } = await api.call('POST', `/runs/${id}/cancel`);
    expect(body).toMatchObject({ id, status: 'cancelled', result: null, error: null });
    expect((await eventTypes(id)).at(-1)).toBe('run.cancelled');
    expect(agent.running.size).toBe(0);
  });

  it('stops at its ceiling', async () => {
    const id = await create({ task: 'goal', maxCostUsd: 0.000_001 });
    const task = await waitForTask(agent, 'goal');
    await expect(task.step(1000)).rejects.toThrow('ceiling');
    expect(await api.until(id, isEnded)).toMatchObject({ status: 'completed', result: 'cost ceiling reached' });
  });

  it('has ordered events that only grow', async () => {
    const id = await create({ task: 'goal' });
    const task = await waitForTask(agent, 'goal');
    await task.step();
    const before = await api.call('GET', `/runs/${id}/events`);
    task.finish({ success: true, output: 'x' });
    await api.until(id, isEnded);
    const { body: after } = await api.call('GET', `/runs/${id}/events`);
    const types = ['run.created', 'run.started', 'browser.ready', 'agent.step', 'run.completed'];
    expect(await eventTypes(id)).toEqual(types);
    const events = after['events'] as JsonObject[];
    expect(events.slice(0, 4)).toEqual(before.body['events']);
    expect(events.map((event) => event['id'])).toEqual(
      events.map((event) => Number(event['id'])).toSorted((a, b) => a - b),
    );
    expect(after).toMatchObject({ hasMore: false, nextAfter: events.at(-1)?.['id'] });
    const page = await api.call('GET', `/runs/${id}/events?limit=2`);
    expect(page.body).toMatchObject({ hasMore: true, nextAfter: events[1]?.['id'] });
    expect(await eventTypes(id, `?after=${String(page.body['nextAfter'])}`)).toEqual(types.slice(2));
    const last = await api.call('GET', `/runs/${id}/events?after=${String(after['nextAfter'])}`);
    expect(last.body).toEqual({ events: [], nextAfter: after['nextAfter'], hasMore: false });
  });

  it('shows where its browser can be watched', async () => {
    const id = await create({ task: 'goal' });
    await waitForTask(agent, 'goal');
    const { body } = await api.call('GET', `/runs/${id}/events`);
    const ready = (body['events'] as JsonObject[]).find((event) => event['type'] === 'browser.ready');
    const data = isJsonObject(ready?.['data']) ? ready['data'] : {};
    expect(String(data['live_view_url'])).toMatch(new RegExp(`^${started.address}/live/`));
  });
});

it('a run whose browser cannot start has failed and says so', async () => {
  await started.stop();
  started = await startBackend({ agent, host: createSimulatedHost({ launchFailure: 'no room' }) });
  api = createApiClient(started.address, testKey, 'v4');
  const id = await create({ task: 'goal' });
  expect(await api.until(id, isEnded)).toMatchObject({ status: 'failed', error: 'sandbox did not start' });
  expect(await eventTypes(id)).toEqual(['run.created', 'run.dispatch_failed']);
});

describe('modelParams', () => {
  it.each([
    { name: 'absent: the service default (rule 1)', body: {}, sent: { reasoning: { effort: 'xhigh' } } },
    { name: 'null: as absent', body: { modelParams: null }, sent: { reasoning: { effort: 'xhigh' } } },
    { name: 'empty: the provider decides (rule 2)', body: { modelParams: {} }, sent: null },
    {
      name: 'given: forwarded unchanged',
      body: { modelParams: { reasoning: { effort: 'low' } } },
      sent: { reasoning: { effort: 'low' } },
    },
  ])('$name', async ({ body, sent }) => {
    await create({ task: 'goal', model: 'gpt-5.6-luna', ...body });
    expect((await waitForTask(agent, 'goal')).task.modelParams).toEqual(sent);
  });

  it('an unknown member of the request is refused, not ignored', async () => {
    const { status, body } = await api.call('POST', '/runs', { task: 'goal', sessionID: 'x' });
    expect(status).toBe(422);
    expect(JSON.stringify(body)).toContain('Unknown field');
  });
});

describe('lists', () => {
  it('pages by cursor, newest first, whatever is made meanwhile', async () => {
    const ids: string[] = [];
    for (const task of ['a', 'b', 'c', 'd', 'e']) {
      ids.push(await create({ task }));
      started.clock.advance(10);
    }
    const first = (await api.call('GET', '/runs?limit=2')).body;
    await create({ task: 'f' });
    const second = (await api.call('GET', `/runs?limit=2&cursor=${String(first['nextCursor'])}`)).body;
    const third = (await api.call('GET', `/runs?limit=2&cursor=${String(second['nextCursor'])}`)).body;
    const seen = [first, second, third].flatMap((page) => (page['runs'] as JsonObject[]).map((run) => run['id']));
    expect(seen).toEqual(ids.toReversed());
    expect([first['hasMore'], second['hasMore'], third['hasMore']]).toEqual([true, true, false]);
    expect(third['nextCursor']).toBeNull();
  });

  it.each(['x', 'MTIz', 'e30'])('a foreign cursor is 400: %s', async (cursor) => {
    expect((await api.call('GET', `/runs?cursor=${cursor}`)).status).toBe(400);
  });
});

it('a run of one project and generation does not exist for another', async () => {
  const id = await create({ task: 'goal' });
  const other = createApiClient(started.address, otherKey, 'v4');
  for (const [method, path] of [
    ['GET', `/runs/${id}`],
    ['GET', `/runs/${id}/status`],
    ['GET', `/runs/${id}/events`],
    ['POST', `/runs/${id}/cancel`],
  ] as const) {
    expect(await other.call(method, path)).toEqual({ status: 404, body: { detail: 'Run not found' } });
  }
  expect((await other.call('GET', '/runs')).body['runs']).toEqual([]);
  const v2 = createApiClient(started.address, testKey, 'v2');
  expect((await v2.call('GET', `/tasks/${id}`)).status).toBe(404);
  expect((await api.call('GET', `/runs/${id}`)).status).toBe(200);
});
