import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#domain/json.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { type ScriptedAgent, createScriptedAgent, taskOf } from './support/scripted-agent.ts';
import { type StartedBackend, otherKey, startBackend, testKey } from './support/start-backend.ts';

let started: StartedBackend;
let agent: ScriptedAgent;
let api: ApiClient;

beforeEach(async () => {
  agent = createScriptedAgent();
  started = await startBackend({ agent });
  api = createApiClient(started.address, testKey, 'v2');
});

afterEach(() => started.stop());

const isEnded = ({ status }: JsonObject): boolean => status === 'finished' || status === 'stopped';

async function create(body: JsonObject): Promise<string> {
  const { status, body: task } = await api.call('POST', '/tasks', body);
  expect(status).toBe(202);
  expect(Object.keys(task)).toEqual(['id', 'sessionId']);
  return String(task['id']);
}

describe('a V2 task', () => {
  it('works step by step and finishes', async () => {
    const id = await create({ task: 'goal', llm: 'o3', thinkingLevel: 'low' });
    const task = await taskOf(agent, 'goal');
    expect((await api.call('GET', `/tasks/${id}/status`)).body).toMatchObject({ status: 'started', output: null });
    await task.step();
    const { body: early } = await api.call('GET', `/tasks/${id}`);
    await task.step();
    task.finish({ success: true, output: { title: 'x' } });
    const late = await api.until(id, isEnded);
    expect(late).toMatchObject({ status: 'finished', isSuccess: true, output: '{"title":"x"}', llm: 'o3' });
    const numbers = (late['steps'] as JsonObject[]).map((step) => step['number']);
    expect([(early['steps'] as unknown[]).length, numbers]).toEqual([1, [1, 2]]);
    expect(late['createdAt']).toMatch(/^[^Z+]+$/);
  });

  it.each([
    { name: 'gave up', end: 'finish', status: 'finished', isSuccess: false },
    { name: 'crashed', end: 'fail', status: 'finished', isSuccess: false },
    { name: 'was stopped', end: 'stop', status: 'stopped', isSuccess: null },
  ])('that $name', async ({ end, status, isSuccess }) => {
    const id = await create({ task: 'goal' });
    const task = await taskOf(agent, 'goal');
    if (end === 'finish') task.finish({ success: false, output: null });
    if (end === 'fail') task.fail(new Error('boom'));
    if (end === 'stop') await api.call('PATCH', `/tasks/${id}`, { action: 'stop' });
    const ended = await api.until(id, isEnded);
    expect(ended).toMatchObject({ status, isSuccess });
    const again = await api.call('PATCH', `/tasks/${id}`, { action: 'stop_task_and_session' });
    expect(again).toEqual({ status: 200, body: ended });
  });

  it.each([true, false])('thinking: %s chooses no depth and replaces none', async (thinking) => {
    await create({ task: 'goal', llm: 'gpt-4.1', thinking });
    const { status } = await api.call('POST', '/tasks', {
      task: 'goal',
      llm: 'gpt-4.1',
      thinking,
      thinkingLevel: 'low',
    });
    expect(status).toBe(422);
  });

  it('lists by page and status', async () => {
    for (const task of ['a', 'b', 'c']) {
      await create({ task });
      started.clock.advance(10);
    }
    (await taskOf(agent, 'b')).finish({ success: true, output: 'x' });
    const { body: running } = await api.call('GET', '/tasks?filterBy=started');
    const { body: page } = await api.call('GET', '/tasks?pageSize=2&pageNumber=2');
    expect(page).toMatchObject({ totalItems: 3, pageNumber: 2, pageSize: 2 });
    expect((page['items'] as JsonObject[]).map((item) => item['task'])).toEqual(['a']);
    expect((running['items'] as JsonObject[]).every((item) => item['status'] === 'started')).toBe(true);
  });

  it('does not exist for another project', async () => {
    const id = await create({ task: 'goal' });
    const other = createApiClient(started.address, otherKey, 'v2');
    for (const [method, path, body] of [
      ['GET', `/tasks/${id}`, undefined],
      ['GET', `/tasks/${id}/status`, undefined],
      ['PATCH', `/tasks/${id}`, { action: 'stop' }],
    ] as const) {
      expect(await other.call(method, path, body)).toEqual({ status: 404, body: { detail: 'Task not found' } });
    }
    expect((await other.call('GET', '/tasks')).body['items']).toEqual([]);
  });
});

it('the balance falls by what was spent', async () => {
  const before = (await api.call('GET', '/billing/account')).body;
  const id = await create({ task: 'goal' });
  const task = await taskOf(agent, 'goal');
  await task.step(1_000_000);
  task.finish({ success: true, output: 'x' });
  const { cost } = await api.until(id, isEnded);
  const after = (await api.call('GET', '/billing/account')).body;
  expect(Number(before['totalCreditsBalanceUsd']) - Number(after['totalCreditsBalanceUsd'])).toBeCloseTo(
    Number(cost),
    6,
  );
  expect(Number(cost)).toBeGreaterThan(5);
  const other = createApiClient(started.address, otherKey, 'v2');
  expect((await other.call('GET', '/billing/account')).body['totalCreditsBalanceUsd']).toBe(100);
});

it('V3 shows the same account', async () => {
  const v3 = createApiClient(started.address, testKey, 'v3');
  expect(await v3.call('GET', '/billing/account')).toEqual(await api.call('GET', '/billing/account'));
});
