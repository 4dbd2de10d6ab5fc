import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { createSimulatedHost } from '#browsers/index.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { createGatedHost } from './support/gated-host.ts';
import { type ScriptedAgent, createScriptedAgent, waitForTask } from './support/scripted-agent.ts';
import { type StartedBackend, otherKey, startBackend, testKey } from './support/start-backend.ts';

let started: StartedBackend;
let agent: ScriptedAgent;
let api: ApiClient;

async function restart(changes: Parameters<typeof startBackend>[0] = {}): Promise<void> {
  await started.stop();
  agent = createScriptedAgent();
  started = await startBackend({ agent, ...changes });
  api = createApiClient(started.address, testKey, 'v4');
}

beforeEach(async () => {
  agent = createScriptedAgent();
  started = await startBackend({ agent });
  api = createApiClient(started.address, testKey, 'v4');
});

afterEach(() => started.stop());

interface Begun {
  readonly id: string;
  readonly sessionId: string;
}

async function run(task: string, more: JsonObject = {}): Promise<Begun> {
  const { status, body } = await api.call('POST', '/runs', { task, ...more });
  expect(status).toBe(200);
  return { id: String(body['id']), sessionId: String(body['sessionId']) };
}

const isEnded = ({ status }: JsonObject): boolean => ['completed', 'failed', 'cancelled'].includes(String(status));
const finish = async (goal: string): Promise<void> =>
  (await waitForTask(agent, goal)).finish({ success: true, output: `did ${goal}` });
const queue = (sessionId: string, body: JsonObject) => api.call('POST', `/sessions/${sessionId}/queue`, body);
const waiting = async (sessionId: string): Promise<unknown[]> =>
  ((await api.call('GET', `/sessions/${sessionId}/queue`)).body['queue'] as JsonObject[]).map(({ text }) => text);

describe('runs that follow one another', () => {
  it('share a session and a browser; each keeps its own model, bill and end', async () => {
    const host = createGatedHost();
    await restart({ host });
    const one = await run('one', { model: 'claude-opus-5', maxCostUsd: 10 });
    await (await waitForTask(agent, 'one')).step(1_000_000);
    await finish('one');
    const first = await api.until(one.id, isEnded);
    const two = await run('two', { sessionId: one.sessionId, model: 'glm-5.2' });
    expect(two.sessionId).toBe(one.sessionId);
    await finish('two');
    const second = await api.until(two.id, isEnded);
    expect([first['model'], second['model']]).toEqual(['claude-opus-5', 'glm-5.2']);
    expect(Number(first['totalCostUsd'])).toBeGreaterThan(5);
    expect(Number(second['totalCostUsd'])).toBeLessThan(0.01);
    expect((await api.call('GET', `/runs/${one.id}`)).body).toEqual(first);
    expect(host.alive.size).toBe(1);
    expect((await api.call('GET', `/sessions/${one.sessionId}`)).body).toMatchObject({
      latestRunId: two.id,
      task: 'two',
      status: 'completed',
    });
    const { body } = await api.call('GET', `/runs?sessionId=${one.sessionId}`);
    expect((body['runs'] as JsonObject[]).map(({ id }) => id)).toEqual([two.id, one.id]);
  });

  it('are one at a time', async () => {
    const { id, sessionId } = await run('one');
    await waitForTask(agent, 'one');
    expect((await api.call('POST', '/runs', { task: 'two', sessionId })).status).toBe(409);
    expect((await api.call('GET', `/runs/${id}/status`)).body['status']).toBe('running');
  });

  it('go on after a cancel and after a failure, with a new browser where the old one is gone', async () => {
    const { id, sessionId } = await run('one');
    await waitForTask(agent, 'one');
    await api.call('POST', `/runs/${id}/cancel`);
    const two = await run('two', { sessionId });
    (await waitForTask(agent, 'two')).fail(new Error('boom'));
    expect(await api.until(two.id, isEnded)).toMatchObject({ status: 'failed', error: 'boom' });
    const three = await run('three', { sessionId });
    await finish('three');
    expect(await api.until(three.id, isEnded)).toMatchObject({ status: 'completed' });
    expect((await api.call('GET', `/runs/${id}`)).body['status']).toBe('cancelled');
  });

  it('a ceiling is the run’s own', async () => {
    const one = await run('one');
    await (await waitForTask(agent, 'one')).step(1_000_000);
    await finish('one');
    await api.until(one.id, isEnded);
    const two = await run('two', { sessionId: one.sessionId, maxCostUsd: 1 });
    await (await waitForTask(agent, 'two')).step(1000);
    await expect((await waitForTask(agent, 'two')).step(1_000_000)).rejects.toThrow('ceiling');
    expect(await api.until(two.id, isEnded)).toMatchObject({ result: 'cost ceiling reached' });
  });
});

describe('idle browsers of sessions', () => {
  it('are at most three; the least recently used one ends first, and its session continues', async () => {
    const host = createGatedHost();
    await restart({ host, activeSessionsMax: 2 });
    const sessions: string[] = [];
    for (const task of ['a', 'b', 'c', 'd', 'e']) {
      const { id, sessionId } = await run(task);
      await finish(task);
      await api.until(id, isEnded);
      sessions.push(sessionId);
      started.clock.advance(10);
    }
    await expect.poll(() => [...host.alive].toSorted()).toEqual(sessions.slice(2).toSorted());
    const again = await run('again', { sessionId: sessions[0] ?? '' });
    await finish('again');
    expect(await api.until(again.id, isEnded)).toMatchObject({ status: 'completed' });
  });

  it('go after twenty minutes', async () => {
    const host = createGatedHost();
    await restart({ host });
    const { id, sessionId } = await run('one');
    await finish('one');
    await api.until(id, isEnded);
    started.clock.advance(20 * 60_000 - 1);
    expect(host.alive.size).toBe(1);
    started.clock.advance(1);
    await expect.poll(() => host.alive.size).toBe(0);
    expect((await api.call('GET', `/sessions/${sessionId}`)).body['status']).toBe('completed');
  });
});

describe('the queue of a session', () => {
  it('an idle session takes a message at once', async () => {
    const { id, sessionId } = await run('one', { model: 'claude-opus-5', modelParams: {} });
    await finish('one');
    await api.until(id, isEnded);
    const { body } = await queue(sessionId, { text: 'two' });
    expect(body).toMatchObject({ status: 'consumed', mode: 'queue', runId: expect.any(String) });
    expect((await waitForTask(agent, 'two')).task).toMatchObject({ model: 'claude-opus-5', modelParams: null });
  });

  it('a busy one takes them in turn', async () => {
    const { sessionId } = await run('one');
    await waitForTask(agent, 'one');
    for (const text of ['two', 'three']) {
      expect((await queue(sessionId, { text })).body).toMatchObject({ status: 'pending', runId: null });
    }
    expect(await waiting(sessionId)).toEqual(['two', 'three']);
    for (const goal of ['one', 'two', 'three']) await finish(goal);
    await expect
      .poll(async () => (await api.call('GET', `/sessions/${sessionId}`)).body)
      .toMatchObject({
        task: 'three',
        status: 'completed',
      });
    expect(await waiting(sessionId)).toEqual([]);
  });

  it('takes an interrupting message instead of the run, before all others', async () => {
    const { id, sessionId } = await run('one');
    await waitForTask(agent, 'one');
    await queue(sessionId, { text: 'two' });
    const { body } = await queue(sessionId, { text: 'now', interrupt: true });
    expect(body).toMatchObject({ mode: 'interrupt', status: 'consumed' });
    expect((await api.call('GET', `/runs/${id}`)).body['status']).toBe('cancelled');
    await finish('now');
    await waitForTask(agent, 'two');
  });

  it('goes on after a failed run, and gives messages back', async () => {
    const { sessionId } = await run('one');
    await waitForTask(agent, 'one');
    const two = (await queue(sessionId, { text: 'two' })).body;
    await queue(sessionId, { text: 'three' });
    const path = `/sessions/${sessionId}/queue/${String(two['id'])}`;
    expect(await api.call('DELETE', path)).toMatchObject({ status: 200, body: { id: two['id'], status: 'cancelled' } });
    expect((await api.call('DELETE', path)).status).toBe(409);
    expect((await api.call('GET', path)).body['status']).toBe('cancelled');
    (await waitForTask(agent, 'one')).fail(new Error('boom'));
    await waitForTask(agent, 'three');
    expect(agent.running.has('two')).toBe(false);
  });

  it('holds ten messages', async () => {
    const { sessionId } = await run('one');
    await waitForTask(agent, 'one');
    for (let index = 0; index < 10; index += 1) await queue(sessionId, { text: `m${index}` });
    expect(await queue(sessionId, { text: 'one more' })).toMatchObject({ status: 429 });
    expect((await waiting(sessionId)).length).toBe(10);
  });

  it('survives a restart', async () => {
    const { id, sessionId } = await run('one');
    await waitForTask(agent, 'one');
    await queue(sessionId, { text: 'two' });
    const { dataFolder } = started;
    // Like a crash: the service ends without closing the connections of its clients properly.
    await started.backend.close();
    agent = createScriptedAgent();
    const second = await startBackend({ agent, dataFolder });
    api = createApiClient(second.address, testKey, 'v4');
    expect((await api.call('GET', `/runs/${id}`)).body['status']).toBe('failed');
    await finish('two');
    await expect.poll(async () => (await api.call('GET', `/sessions/${sessionId}`)).body['status']).toBe('completed');
    await second.stop();
    rmSync(dataFolder, { recursive: true, force: true });
    started = await startBackend({ agent });
  });
});

it('a deleted session takes run, messages and browser with it', async () => {
  const host = createGatedHost();
  await restart({ host });
  const { id, sessionId } = await run('one');
  await waitForTask(agent, 'one');
  await queue(sessionId, { text: 'two' });
  expect((await api.call('DELETE', `/sessions/${sessionId}`)).status).toBe(204);
  expect((await api.call('GET', `/runs/${id}`)).status).toBe(404);
  expect((await api.call('GET', `/sessions/${sessionId}/queue`)).status).toBe(404);
  expect([host.alive.size, agent.running.size]).toEqual([0, 0]);
  const again = await api.call('DELETE', `/sessions/${sessionId}`);
  const stranger = createApiClient(started.address, otherKey, 'v4');
  const strangers = await stranger.call('DELETE', `/sessions/${sessionId}`);
  expect([again.status, strangers.status]).toEqual([204, 404]);
});

it('sessions are listed by cursor, renamed, and invisible to other projects', async () => {
  const ids: string[] = [];
  for (const task of ['a', 'b', 'c']) {
    ids.push((await run(task)).sessionId);
    started.clock.advance(10);
  }
  const first = (await api.call('GET', '/sessions?limit=2')).body;
  const second = (await api.call('GET', `/sessions?limit=2&cursor=${String(first['nextCursor'])}`)).body;
  const seen = [first, second].flatMap((page) =>
    (page['sessions'] as JsonObject[]).map((session) => session['sessionId']),
  );
  expect(seen).toEqual(ids.toReversed());
  const [id = ''] = ids;
  expect((await api.call('PATCH', `/sessions/${id}`, { title: 'Prices' })).body['title']).toBe('Prices');
  const other = createApiClient(started.address, otherKey, 'v4');
  for (const [method, path, body] of [
    ['GET', `/sessions/${id}`, undefined],
    ['PATCH', `/sessions/${id}`, { title: null }],
    ['DELETE', `/sessions/${id}`, undefined],
    ['GET', `/sessions/${id}/queue`, undefined],
    ['POST', `/sessions/${id}/queue`, { text: 'x' }],
    ['GET', `/sessions/${id}/queue/1`, undefined],
    ['DELETE', `/sessions/${id}/queue/1`, undefined],
    ['POST', '/runs', { task: 'x', sessionId: id }],
  ] as const) {
    expect(await other.call(method, path, body)).toEqual({ status: 404, body: { detail: 'Session not found' } });
  }
});

it('a run that is cancelled before its browser starts leaves none behind, and its session goes on', async () => {
  const host = createGatedHost();
  const letStart = host.holdLaunches();
  await restart({ host });
  const one = await run('one');
  const { body } = await api.call('POST', `/runs/${one.id}/cancel`);
  expect(body['status']).toBe('cancelled');
  await run('two', { sessionId: one.sessionId });
  letStart();
  await finish('two');
  await expect.poll(async () => (await api.call('GET', `/sessions/${one.sessionId}`)).body['status']).toBe('completed');
  expect(host.alive.size).toBe(1);
});

it('a session whose browser cannot start stays usable', async () => {
  await restart({ host: createSimulatedHost({ launchFailure: 'no room' }) });
  const one = await run('one');
  expect(await api.until(one.id, isEnded)).toMatchObject({ status: 'failed' });
  const two = await run('two', { sessionId: one.sessionId });
  expect(await api.until(two.id, isEnded)).toMatchObject({ status: 'failed' });
});
