import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { type GatedHost, createGatedHost } from './support/gated-host.ts';
import { type ScriptedAgent, createScriptedAgent } from './support/scripted-agent.ts';
import { type StartedBackend, startBackend } from './support/start-backend.ts';

describe('the sweep', () => {
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

  /** Runs two sweeps with 15 seconds between them. */
  const sweepTwice = async (): Promise<void> => {
    const { engine } = started.backend;
    await engine.lookAfter();
    const now = performance.now.bind(performance);
    const shown = vi.spyOn(performance, 'now').mockImplementation(() => now() + 15_000);
    await engine.lookAfter();
    shown.mockRestore();
  };
  const create = async (body: object): Promise<string> =>
    String((await api.call('POST', '/sessions', body)).body['id']);
  const fetchStatus = async (id: string): Promise<unknown> => (await api.call('GET', `/sessions/${id}`)).body['status'];
  const idle = async (): Promise<string> => {
    const id = await create({ keepAlive: true });
    await expect.poll(() => fetchStatus(id)).toBe('idle');
    return id;
  };
  const setStatus = async (id: string, status: 'created' | 'running' | 'stopped'): Promise<void> => {
    await started.backend.db.updateTable('sessions').set({ status }).where('id', '=', id).execute();
  };
  const addRun = async (sessionId: string, status: 'queued' | 'running'): Promise<void> => {
    const { db } = started.backend;
    const { projectId } = await db
      .selectFrom('sessions')
      .select('projectId')
      .where('id', '=', sessionId)
      .executeTakeFirstOrThrow();
    const run = {
      id: `run-of-${sessionId}`,
      sessionId,
      projectId,
      generation: 'v3',
      task: 'left',
    } as const;
    await db
      .insertInto('runs')
      .values({ ...run, status, createdAt: started.clock.now() })
      .execute();
  };
  const readRun = async (sessionId: string): Promise<unknown> =>
    started.backend.db
      .selectFrom('runs')
      .select(['status', 'reason'])
      .where('sessionId', '=', sessionId)
      .executeTakeFirst();

  it('starts a created session that nothing starts, and its task', async () => {
    const id = await idle();
    await addRun(id, 'queued');
    await setStatus(id, 'created');
    await started.backend.engine.lookAfter();
    expect(await fetchStatus(id)).toBe('created');
    await sweepTwice();
    await expect.poll(() => agent.running.size).toBe(1);
    expect(await fetchStatus(id)).toBe('running');
  });

  it('begins a dispatched task that has had no browser', async () => {
    const id = await idle();
    await addRun(id, 'running');
    await setStatus(id, 'running');
    await sweepTwice();
    await expect.poll(() => agent.running.size).toBe(1);
  });

  it('ends a task that has had a browser and that nothing works on, with a reason', async () => {
    const id = await idle();
    await addRun(id, 'running');
    await setStatus(id, 'running');
    const event = { sessionId: id, runId: `run-of-${id}`, type: 'browser.ready', data: '{}', createdAt: 0 };
    await started.backend.db.insertInto('events').values(event).execute();
    await sweepTwice();
    expect(await fetchStatus(id)).toBe('error');
    expect(await readRun(id)).toEqual({ status: 'crashed', reason: 'the work on the task ended without a result' });
  });

  it('ends the browser of a session that has ended', async () => {
    const id = await idle();
    await setStatus(id, 'stopped');
    expect(host.alive.size).toBe(1);
    await sweepTwice();
    await expect.poll(() => host.alive.size).toBe(0);
  });

  it('leaves alone what is worked on, also when the clock has moved by hours', async () => {
    const release = host.holdLaunches();
    const starting = await create({ task: 'later', keepAlive: true });
    started.clock.advance(10 * 3_600_000);
    await sweepTwice();
    expect(await fetchStatus(starting)).toBe('created');
    release();
    await expect.poll(() => fetchStatus(starting)).toBe('running');
    await sweepTwice();
    await sweepTwice();
    expect(await fetchStatus(starting)).toBe('running');
    expect(agent.running.size).toBe(1);
  });
});
