import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import type { BrowserEnd, BrowserHost } from '#browsers/host.ts';
import { createSimulatedHost } from '#browsers/index.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { type GatedHost, createGatedHost } from './support/gated-host.ts';
import { type ScriptedAgent, createScriptedAgent, waitForTask } from './support/scripted-agent.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';

let started: StartedBackend;
let agent: ScriptedAgent;
let api: ApiClient;
let host: GatedHost;

async function start(changes: Parameters<typeof startBackend>[0]): Promise<void> {
  agent = createScriptedAgent();
  started = await startBackend({ agent, ...changes });
  api = createApiClient(started.address, testKey, 'v4');
}

beforeEach(() => {
  host = createGatedHost();
});

afterEach(() => started.stop());

async function run(task: string, more: JsonObject = {}): Promise<{ id: string; sessionId: string }> {
  const { status, body } = await api.call('POST', '/runs', { task, ...more });
  expect(status).toBe(200);
  return { id: String(body['id']), sessionId: String(body['sessionId']) };
}

const isEnded = ({ status }: JsonObject): boolean => ['completed', 'failed', 'cancelled'].includes(String(status));

async function complete(task: string, more: JsonObject = {}): Promise<{ id: string; sessionId: string }> {
  const begun = await run(task, more);
  (await waitForTask(agent, task)).finish({ success: true, output: `did ${task}` });
  await api.until(begun.id, isEnded);
  return begun;
}

const eventTypes = async (id: string): Promise<unknown[]> =>
  ((await api.call('GET', `/runs/${id}/events`)).body['events'] as JsonObject[]).map(({ type }) => type);

describe('a run whose browser starts again', () => {
  /**
   * Creates a session whose browser has ended, and a follow-up run. The launch of the run's new browser waits until the
   * test calls `letStart`.
   */
  async function relaunching(): Promise<{ sessionId: string; id: string; letStart: () => void }> {
    await start({ host });
    const { sessionId } = await complete('one');
    started.clock.advance(20 * 60_000);
    await expect.poll(() => host.alive.size).toBe(0);
    const letStart = host.holdLaunches();
    const { id } = await run('two', { sessionId });
    return { sessionId, id, letStart };
  }

  it('gives its browser to the message that interrupts it', async () => {
    const { sessionId, id, letStart } = await relaunching();
    const { body } = await api.call('POST', `/sessions/${sessionId}/queue`, { text: 'now', interrupt: true });
    letStart();
    (await waitForTask(agent, 'now')).finish({ success: true, output: 'x' });
    expect(await api.until(String(body['runId']), isEnded)).toMatchObject({ status: 'completed' });
    expect((await api.call('GET', `/runs/${id}`)).body['status']).toBe('cancelled');
    expect(host.alive.size).toBe(1);
  });

  it('leaves a browser that lingers and goes when it is cancelled meanwhile', async () => {
    const { id, letStart } = await relaunching();
    await api.call('POST', `/runs/${id}/cancel`);
    letStart();
    await expect.poll(() => host.alive.size).toBe(1);
    started.clock.advance(21 * 60_000);
    await expect.poll(() => host.alive.size).toBe(0);
  });
});

it('the late news of a dead browser does not reach the next run', async () => {
  const end = Promise.withResolvers<BrowserEnd>();
  const simulated = createSimulatedHost();
  let launches = 0;
  const dying: BrowserHost = {
    ...simulated,
    async launch(options) {
      const browser = await simulated.launch(options);
      launches += 1;
      return launches === 1 ? { ...browser, died: end.promise, ended: end.promise } : browser;
    },
  };
  await start({ host: dying });
  const one = await run('one');
  (await waitForTask(agent, 'one')).fail(new Error('the tab is gone'));
  await api.until(one.id, isEnded);
  const two = await run('two', { sessionId: one.sessionId });
  await waitForTask(agent, 'two');
  end.resolve({ expected: false, detail: 'Chromium died' });
  await end.promise;
  (await waitForTask(agent, 'two')).finish({ success: true, output: 'x' });
  expect(await api.until(two.id, isEnded)).toMatchObject({ status: 'completed' });
});

it('a task that comes while a dead browser is cleaned up waits for that, and has a browser of its own', async () => {
  const cleaned = Promise.withResolvers<BrowserEnd>();
  const simulated = createSimulatedHost();
  let launches = 0;
  const slowToClean: BrowserHost = {
    ...simulated,
    async launch(options) {
      const browser = await simulated.launch(options);
      launches += 1;
      const stop = async (): Promise<void> => void (await cleaned.promise);
      return launches === 1 ? { ...browser, ended: cleaned.promise, stop } : browser;
    },
  };
  await start({ host: slowToClean });
  const { sessionId } = await complete('one');
  simulated.crash(sessionId);
  const isBilled = async (): Promise<boolean> => {
    const { db } = started.backend;
    const row = await db.selectFrom('sessions').select('browserSince').where('id', '=', sessionId).executeTakeFirst();
    return row?.browserSince !== null;
  };
  await expect.poll(isBilled).toBe(false);
  const two = await run('two', { sessionId });
  expect(launches).toBe(1);
  cleaned.resolve({ expected: false, detail: 'crashed' });
  (await waitForTask(agent, 'two')).finish({ success: true, output: 'x' });
  expect(await api.until(two.id, isEnded)).toMatchObject({ status: 'completed', result: 'x' });
  expect(launches).toBe(2);
});

it('follow-ups and messages find no room beyond the limit, and messages are taken when there is some', async () => {
  await start({ host, activeSessionsMax: 1 });
  const one = await complete('one');
  const two = await complete('two');
  await run('busy', { sessionId: one.sessionId });
  await waitForTask(agent, 'busy');
  expect((await api.call('POST', '/runs', { task: 'x', sessionId: two.sessionId })).status).toBe(429);
  const { body } = await api.call('POST', `/sessions/${two.sessionId}/queue`, { text: 'later' });
  expect(body['status']).toBe('pending');
  (await waitForTask(agent, 'busy')).finish({ success: true, output: 'x' });
  await waitForTask(agent, 'later');
});

it('a title that was given while the browser started stays', async () => {
  await start({ host });
  const letStart = host.holdLaunches();
  const { sessionId } = await run('one');
  await api.call('PATCH', `/sessions/${sessionId}`, { title: 'Mine' });
  letStart();
  await waitForTask(agent, 'one');
  expect((await api.call('GET', `/sessions/${sessionId}`)).body['title']).toBe('Mine');
});

it('a follow-up run has all its events, and nothing after its end', async () => {
  await start({ host });
  const one = await complete('one');
  const two = await complete('two', { sessionId: one.sessionId });
  const all = ['run.created', 'run.started', 'browser.ready', 'run.completed'];
  expect([await eventTypes(one.id), await eventTypes(two.id)]).toEqual([all, all]);
});

it('traffic after the last step is the run’s own, not the next one’s', async () => {
  let bytes = 0;
  const simulated = createSimulatedHost();
  const metered: BrowserHost = {
    ...simulated,
    launch: async (options) => ({ ...(await simulated.launch(options)), trafficBytes: () => bytes }),
  };
  await start({ host: metered });
  const one = await run('one');
  await (await waitForTask(agent, 'one')).step(1);
  bytes = 1_000_000_000;
  (await waitForTask(agent, 'one')).finish({ success: true, output: 'x' });
  expect(Number((await api.until(one.id, isEnded))['totalCostUsd'])).toBeGreaterThan(5);
  const two = await run('two', { sessionId: one.sessionId, maxCostUsd: 2 });
  await (await waitForTask(agent, 'two')).step(1);
  (await waitForTask(agent, 'two')).finish({ success: true, output: 'x' });
  expect(Number((await api.until(two.id, isEnded))['totalCostUsd'])).toBeLessThan(1);
});

it('a sandbox that is given up while its first picture is taken is billed for no longer than it lived', async () => {
  await start({ host });
  const takePicture = host.holdScreenshots();
  const { id, sessionId } = await run('one');
  await expect.poll(() => host.alive.size).toBe(1);
  await api.call('POST', `/runs/${id}/cancel`);
  takePicture();
  await expect.poll(() => host.alive.size).toBe(0);
  const { db } = started.backend;
  const since = async (): Promise<unknown> =>
    (await db.selectFrom('sessions').select('browserSince').where('id', '=', sessionId).executeTakeFirstOrThrow())
      .browserSince;
  await expect.poll(since).toBeNull();
});

// On PostgreSQL, each of the three operations has a connection of its own, so that their order is undefined.
it.skipIf(process.env['SVC_TEST_DATABASE'] !== undefined)(
  'the crash of a run that was cancelled is not written onto the next one',
  async () => {
    await start({ host });
    const one = await complete('one');
    const two = await run('two', { sessionId: one.sessionId });
    const task = await waitForTask(agent, 'two');
    const { db, engine } = started.backend;
    const scope = { projectId: (await db.selectFrom('sessions').selectAll().executeTakeFirstOrThrow()).projectId };
    const found = await engine.findRun({ ...scope, generation: 'v4' }, two.id);
    if (found === null) throw new Error('the run is not there');
    // In one tick the agent fails, and before the failure is stored, its run is stopped and the next run begins.
    task.fail(new Error('error of two'));
    await Promise.all([engine.stopRun(found), engine.followUp(found.session, { task: 'three', settings: {} })]);
    (await waitForTask(agent, 'three')).finish({ success: true, output: 'x' });
    await expect
      .poll(async () => (await api.call('GET', `/sessions/${one.sessionId}`)).body)
      .toMatchObject({
        task: 'three',
        status: 'completed',
      });
    expect((await api.call('GET', `/runs/${two.id}`)).body).toMatchObject({ status: 'cancelled', error: null });
  },
);

it('messages are shown oldest first, whichever is next', async () => {
  await start({ host, activeSessionsMax: 1 });
  const one = await complete('one');
  const two = await complete('two');
  await run('busy', { sessionId: two.sessionId });
  await waitForTask(agent, 'busy');
  const path = `/sessions/${one.sessionId}/queue`;
  await api.call('POST', path, { text: 'a' });
  await api.call('POST', path, { text: 'b', interrupt: true });
  const { body } = await api.call('GET', path);
  expect((body['queue'] as JsonObject[]).map(({ text }) => text)).toEqual(['a', 'b']);
  (await waitForTask(agent, 'busy')).finish({ success: true, output: 'x' });
  await waitForTask(agent, 'b');
  expect(agent.running.has('a')).toBe(false);
});

it('a deleted session takes its messages with it, and no more', async () => {
  await start({ host });
  const { sessionId } = await run('one');
  await waitForTask(agent, 'one');
  await api.call('POST', `/sessions/${sessionId}/queue`, { text: 'later' });
  await api.call('DELETE', `/sessions/${sessionId}`);
  const left = await started.backend.db.selectFrom('queue_messages').select('status').execute();
  expect(left.map(({ status }) => status)).toEqual(['cancelled']);
});

it('an id in upper case names the same run', async () => {
  await start({ host });
  const { id, sessionId } = await complete('one');
  expect((await api.call('GET', `/runs/${id.toUpperCase()}`)).body['id']).toBe(id);
  expect((await api.call('GET', `/sessions/${sessionId.toUpperCase()}`)).body['sessionId']).toBe(sessionId);
});
