import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { createGatedHost } from './support/gated-host.ts';
import { type ScriptedAgent, createScriptedAgent, waitForTask } from './support/scripted-agent.ts';
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

async function createSession(body: JsonObject = {}): Promise<string> {
  const { status, body: session } = await api.call('POST', '/sessions', body);
  expect([status, session['status'], session['finishedAt']]).toEqual([201, 'active', null]);
  return String(session['id']);
}

async function createTask(body: JsonObject): Promise<string> {
  const { status, body: task } = await api.call('POST', '/tasks', body);
  expect([status, task['sessionId']]).toEqual([202, body['sessionId'] ?? expect.any(String)]);
  return String(task['id']);
}

const detail = async (id: string): Promise<JsonObject> => (await api.call('GET', `/sessions/${id}`)).body;
const finish = async (goal: string): Promise<void> =>
  (await waitForTask(agent, goal)).finish({ success: true, output: `did ${goal}` });

describe('a V2 session', () => {
  it('works on one task after the other, each with a model and a bill of its own', async () => {
    const sessionId = await createSession();
    const first = await createTask({ task: 'one', sessionId, llm: 'o3', thinkingLevel: 'low' });
    await (await waitForTask(agent, 'one')).step(1_000_000);
    expect((await waitForTask(agent, 'one')).task.model).toBe('o3');
    await finish('one');
    const one = await api.until(first, ({ status }) => status === 'finished');
    const second = await createTask({ task: 'two', sessionId, llm: 'gpt-4.1' });
    await finish('two');
    const two = await api.until(second, ({ status }) => status === 'finished');
    expect([one['llm'], one['output'], two['llm'], two['output']]).toEqual(['o3', 'did one', 'gpt-4.1', 'did two']);
    expect(Number(one['cost'])).toBeGreaterThan(5);
    expect(Number(two['cost'])).toBeLessThan(0.01);
    const session = await detail(sessionId);
    expect(session).toMatchObject({ status: 'active', keepAlive: true });
    expect((session['tasks'] as JsonObject[]).map((task) => task['id'])).toEqual([first, second]);
  });

  it('lets a task wait while it starts, takes one at a time, and none after its end', async () => {
    await started.stop();
    const host = createGatedHost();
    const letStart = host.holdLaunches();
    started = await startBackend({ agent, host });
    api = createApiClient(started.address, testKey, 'v2');
    const sessionId = await createSession();
    const waiting = await createTask({ task: 'one', sessionId });
    expect(await api.call('POST', '/tasks', { task: 'two', sessionId })).toMatchObject({ status: 400 });
    letStart();
    await api.until(waiting, ({ status }) => status === 'started');
    const busy = await api.call('POST', '/tasks', { task: 'two', sessionId });
    expect(busy).toEqual({ status: 400, body: { detail: 'Session already has a task: wait for it or stop it' } });
    const { body: stopped } = await api.call('PATCH', `/sessions/${sessionId}`, { action: 'stop' });
    expect(stopped).toMatchObject({ status: 'stopped', liveUrl: null, tasks: [{ id: waiting, status: 'stopped' }] });
    expect((await api.call('POST', '/tasks', { task: 'two', sessionId })).body['detail']).toMatch(
      /^Session is stopped/,
    );
  });

  it('stop ends the task alone, stop_task_and_session both', async () => {
    const sessionId = await createSession();
    const first = await createTask({ task: 'one', sessionId });
    await waitForTask(agent, 'one');
    expect((await api.call('PATCH', `/tasks/${first}`, { action: 'stop' })).body).toMatchObject({ status: 'stopped' });
    expect((await detail(sessionId))['status']).toBe('active');
    const second = await createTask({ task: 'two', sessionId });
    await waitForTask(agent, 'two');
    // A stop of the first task does not affect the second.
    await api.call('PATCH', `/tasks/${first}`, { action: 'stop' });
    expect((await api.call('GET', `/tasks/${second}/status`)).body['status']).toBe('started');
    await api.call('PATCH', `/tasks/${second}`, { action: 'stop_task_and_session' });
    expect(await detail(sessionId)).toMatchObject({
      status: 'stopped',
      tasks: [{ status: 'stopped' }, { status: 'stopped' }],
    });
  });

  it('stops after its first task without keepAlive', async () => {
    const sessionId = await createSession({ keepAlive: false });
    const task = await createTask({ task: 'one', sessionId });
    await finish('one');
    await api.until(task, ({ status }) => status === 'finished');
    expect((await detail(sessionId))['status']).toBe('stopped');
  });

  it('is cleaned up when it is unused', async () => {
    const sessionId = await createSession();
    const task = await createTask({ task: 'one', sessionId });
    await finish('one');
    await api.until(task, ({ status }) => status === 'finished');
    started.clock.advance(900_000);
    await expect.poll(async () => (await detail(sessionId))['status']).toBe('stopped');
  });

  it('is listed by status, deleted with its tasks, and invisible to other projects', async () => {
    const kept = await createSession({ persistMemory: false });
    const gone = await createSession();
    const task = await createTask({ task: 'one', sessionId: gone });
    await waitForTask(agent, 'one');
    const ids = async (query: string): Promise<unknown[]> =>
      ((await api.call('GET', `/sessions${query}`)).body['items'] as JsonObject[]).map(({ id }) => id);
    await api.call('PATCH', `/sessions/${kept}`, { action: 'stop' });
    expect([await ids('?filterBy=active'), await ids('?filterBy=stopped')]).toEqual([[gone], [kept]]);
    const other = createApiClient(started.address, otherKey, 'v2');
    expect((await other.call('GET', `/sessions/${gone}`)).status).toBe(404);
    expect((await other.call('DELETE', `/sessions/${gone}`)).status).toBe(404);
    expect((await other.call('POST', '/tasks', { task: 'x', sessionId: gone })).status).toBe(404);
    expect((await api.call('DELETE', `/sessions/${gone}`)).status).toBe(204);
    expect((await api.call('GET', `/tasks/${task}`)).status).toBe(404);
    expect(await ids('')).toEqual([kept]);
    expect(agent.running.size).toBe(0);
  });

  it.each([
    { name: 'a screen that is too narrow', body: { browserScreenWidth: 319 } },
    { name: 'a start page that is a file', body: { startUrl: 'file:///etc/passwd' } },
    { name: 'a country that is not listed', body: { proxyCountryCode: 'xx' } },
  ])('$name is 422', async ({ body }) => {
    expect((await api.call('POST', '/sessions', body)).status).toBe(422);
  });

  it('settings of a task open its session, and do not go with a session', async () => {
    const sessionId = await createSession();
    const sessionSettings = { proxyCountryCode: null, browserScreenWidth: 800, browserScreenHeight: 600 };
    expect((await api.call('POST', '/tasks', { task: 'one', sessionId, sessionSettings })).status).toBe(422);
    await createTask({ task: 'two', sessionSettings });
  });
});

it('ten tasks at once for one idle session: one is accepted', async () => {
  const sessionId = await createSession();
  const warm = await createTask({ task: 'warm', sessionId });
  await finish('warm');
  await api.until(warm, ({ status }) => status === 'finished');
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => api.call('POST', '/tasks', { task: `t${index}`, sessionId })),
  );
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    202,
    ...Array.from({ length: 9 }, () => 400),
  ]);
});
