import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../support/api-client.ts';
import { makeDatabase } from '../support/postgres/make-database.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/start-postgres.ts';
import { type ScriptedAgent, createScriptedAgent, waitForTask } from '../support/scripted-agent.ts';
import { type StartedBackend, startBackend } from '../support/start-backend.ts';

let server: PostgresServer;
let agent: ScriptedAgent;
let started: StartedBackend;
let api: ApiClient;
let databases = 0;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());
beforeEach(async () => {
  agent = createScriptedAgent();
  databases += 1;
  started = await startBackend({ agent, database: await makeDatabase(server.address, `away_${databases}`) });
  api = createApiClient(started.address);
});
afterEach(() => started.stop());

const create = async (task: string): Promise<string> =>
  String((await api.call('POST', '/sessions', { task, keepAlive: true })).body['id']);

/** Expects that a request gets 503 with Retry-After and a text about the database. */
async function refused(path: string, init: RequestInit = {}): Promise<void> {
  const response = await fetch(`${started.address}${path}`, {
    ...init,
    headers: { 'x-service-api-key': 'svc_test_key', 'content-type': 'application/json' },
  });
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
  expect(await response.json()).toEqual({ detail: expect.stringContaining('database') });
}

describe('a database that is away', () => {
  it('refuses requests with 503, and everything goes on where it was when it is back', async () => {
    const [stepping, ending] = [await create('steps'), await create('ends')];
    const [steps, ends] = [await waitForTask(agent, 'steps'), await waitForTask(agent, 'ends')];
    await steps.step();
    await server.stop('immediate');
    // Work in the background waits for the database.
    const booked = steps.step();
    ends.finish({ success: true, output: 'done meanwhile' });
    await refused(`/api/v3/sessions/${stepping}`);
    await refused('/api/v3/sessions', { method: 'POST', body: JSON.stringify({ task: 'never' }) });
    const ready = await (await fetch(`${started.address}/readyz`)).json();
    expect(ready).toMatchObject({ status: 'not ready', checks: { database: 'the database does not answer' } });
    expect((await fetch(`${started.address}/healthz`)).status).toBe(200);
    await server.start();

    await booked;
    expect((await api.call('GET', `/sessions/${stepping}`)).body).toMatchObject({ status: 'running', stepCount: 2 });
    expect(await api.until(ending, ({ status }) => status === 'idle')).toMatchObject({ output: 'done meanwhile' });
    const { body } = await api.call('GET', '/sessions');
    expect(body['total']).toBe(2);
    steps.finish({ success: true, output: 'steps done' });
    await api.until(stepping, ({ output }) => output === 'steps done');
  });

  it('that is restarted under load loses nothing that was acknowledged, and leaves nothing hanging', async () => {
    const acknowledged: string[] = [];
    const stopped = new AbortController();
    const statuses = new Set<number>();
    const client = async (name: string): Promise<void> => {
      for (let number = 0; !stopped.signal.aborted; number += 1) {
        const { status, body } = await api.call('POST', '/sessions', { task: `${name} ${number}` });
        statuses.add(status);
        if (status !== 200) continue;
        acknowledged.push(String(body['id']));
        const task = await waitForTask(agent, `${name} ${number}`);
        await task.step();
        task.finish({ success: true, output: name });
      }
    };
    const clients = ['a', 'b', 'c', 'd'].map(client);
    for (let round = 1; round <= 3; round += 1) {
      const before = acknowledged.length;
      await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 4);
      await server.stop('immediate');
      await server.start();
    }
    stopped.abort();
    await Promise.all(clients);
    for (const id of acknowledged) {
      const session = await api.until(id, ({ status }) => status === 'stopped');
      expect([session['isTaskSuccessful'], session['stepCount']]).toEqual([true, 1]);
    }
    // A refused creation has left no live session behind.
    const living = await started.backend.db
      .selectFrom('sessions')
      .select('status')
      .where('status', '!=', 'stopped')
      .execute();
    expect(living).toEqual([]);
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  });
});
