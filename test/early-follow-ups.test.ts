import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BrowserHost } from '#browsers/host.ts';
import { type Answer, type ApiClient, createApiClient } from './support/api-client.ts';
import { type GatedHost, createGatedHost } from './support/gated-host.ts';
import { quickFolder } from './support/quick-folder.ts';
import { type ScriptedAgent, createScriptedAgent, waitForTask } from './support/scripted-agent.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';

let host: GatedHost;
let agent: ScriptedAgent;
let started: StartedBackend;
let api: ApiClient;
let letStart: () => void;

async function start(changes: { readonly host?: BrowserHost; readonly dataFolder?: string } = {}): Promise<void> {
  agent = createScriptedAgent();
  started = await startBackend({ agent, host, ...changes });
  api = createApiClient(started.address);
}

beforeEach(() => {
  host = createGatedHost();
  letStart = host.holdLaunches();
});

afterEach(async () => {
  letStart();
  await started.stop();
});

async function create(body: object = {}): Promise<string> {
  const { status, body: session } = await api.call('POST', '/sessions', { keepAlive: true, ...body });
  expect([status, session['status']]).toEqual([200, 'created']);
  return String(session['id']);
}

/**
 * Sends a follow-up to a session that is still starting, and then reads the session several times. The answers to these
 * reads prove that the service has had time to receive the follow-up.
 */
async function sendEarly(sessionId: string, task = 'early'): Promise<{ answer: Promise<Answer> }> {
  const answer = api.call('POST', '/sessions', { sessionId, task });
  for (let look = 0; look < 5; look += 1)
    expect((await api.call('GET', `/sessions/${sessionId}`)).body['status']).toBe('created');
  return { answer };
}

describe('a follow-up to a V3 session that starts', () => {
  it('waits for the sandbox and is dispatched', async () => {
    await start();
    const id = await create();
    const { answer } = await sendEarly(id);
    letStart();
    expect(await answer).toMatchObject({ status: 200, body: { id, status: 'running', title: 'early' } });
    (await waitForTask(agent, 'early')).finish({ success: true, output: 'done' });
    expect(await api.until(id, ({ status }) => status === 'idle')).toMatchObject({ output: 'done' });
  });

  it('is dispatched once when two wait', async () => {
    await start();
    const id = await create();
    const both = [await sendEarly(id, 'one'), await sendEarly(id, 'two')];
    letStart();
    const statuses = await Promise.all(both.map(async ({ answer }) => (await answer).status));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409]);
    await expect.poll(() => agent.running.size).toBe(1);
  });

  it('is refused with 409 at once when a first task waits already', async () => {
    await start();
    const id = await create({ task: 'first' });
    expect(await api.call('POST', '/sessions', { sessionId: id, task: 'x' })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('created') },
    });
  });

  it('is refused with 409 after 20 seconds', async () => {
    await start();
    const id = await create();
    const { answer } = await sendEarly(id);
    started.clock.advance(19_000);
    expect((await api.call('GET', `/sessions/${id}`)).body['status']).toBe('created');
    started.clock.advance(1_001);
    expect(await answer).toMatchObject({ status: 409, body: { detail: expect.stringContaining('created') } });
    letStart();
    await api.until(id, ({ status }) => status === 'idle');
    expect(agent.running.size).toBe(0);
  });

  it('is refused with 409 when the session is stopped', async () => {
    await start();
    const id = await create();
    const { answer } = await sendEarly(id);
    await api.call('POST', `/sessions/${id}/stop`);
    expect(await answer).toMatchObject({ status: 409, body: { detail: expect.stringContaining('stopped') } });
  });

  it('is refused with 409 when the sandbox fails to start', async () => {
    const launch: BrowserHost['launch'] = async (options) => {
      await host.launch(options);
      throw new Error('the browser did not start');
    };
    await start({ host: { ...host, launch } });
    const id = await create();
    const { answer } = await sendEarly(id);
    letStart();
    expect(await answer).toMatchObject({ status: 409, body: { detail: expect.stringContaining('error') } });
  });

  it('is not dispatched when the client disconnects', async () => {
    await start();
    const id = await create();
    const client = new AbortController();
    const sent = fetch(`${started.address}/api/v3/sessions`, {
      method: 'POST',
      headers: { 'x-service-api-key': testKey, 'content-type': 'application/json' },
      body: JSON.stringify({ sessionId: id, task: 'early' }),
      signal: client.signal,
    });
    for (let look = 0; look < 5; look += 1) await api.call('GET', `/sessions/${id}`);
    client.abort();
    await expect(sent).rejects.toThrow('aborted');
    for (let look = 0; look < 5; look += 1) await api.call('GET', `/sessions/${id}`);
    letStart();
    expect(await api.until(id, ({ status }) => status !== 'created')).toMatchObject({ status: 'idle', title: null });
  });

  it('is refused with 503 when the service shuts down', async () => {
    await start();
    const id = await create();
    const { answer } = await sendEarly(id);
    const drained = started.backend.drain(5_000);
    expect((await answer).status).toBe(503);
    await drained;
  });
});

it('a task whose browser starts while the service shuts down begins when the service starts again', async () => {
  const dataFolder = quickFolder('svc-drained-');
  await start({ dataFolder });
  const id = await create({ task: 'first' });
  await started.backend.drain(5_000);
  letStart();
  await expect.poll(() => host.alive.size).toBe(1);
  // The session's browser runs, so that the task could begin now.
  for (let look = 0; look < 20; look += 1)
    expect((await api.call('GET', `/sessions/${id}`)).body['status']).toBe('created');
  await started.stop();
  host = createGatedHost();
  await start({ dataFolder });
  expect(await api.until(id, ({ status }) => status === 'running')).toMatchObject({ title: 'first' });
  (await waitForTask(agent, 'first')).finish({ success: true, output: 'done' });
  await api.until(id, ({ status }) => status === 'idle');
  await started.stop();
  rmSync(dataFolder, { recursive: true, force: true });
});
