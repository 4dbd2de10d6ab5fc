import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { createApiClient } from './support/api-client.ts';
import { type ScriptedAgent, createScriptedAgent, waitForTask } from './support/scripted-agent.ts';
import { type StartedBackend, startBackend } from './support/start-backend.ts';

let started: StartedBackend | undefined;
let agent: ScriptedAgent;

afterEach(() => started?.stop());

async function start(creditMicros?: number | null): Promise<StartedBackend> {
  agent = createScriptedAgent();
  const grant = creditMicros === undefined ? {} : { creditMicros };
  started = await startBackend({ agent, grant });
  return started;
}

const client = (version: 'v2' | 'v3' | 'v4') => createApiClient(started?.address ?? '', undefined, version);
const refused = { status: 402, body: { detail: 'Insufficient credits' } };

/** Every operation for which companion 3.1 lists 402, with a body that the service would otherwise accept. */
const charged: readonly { version: 'v2' | 'v3' | 'v4'; path: string; body: JsonObject }[] = [
  { version: 'v2', path: '/sessions', body: {} },
  { version: 'v2', path: '/profiles', body: {} },
  { version: 'v3', path: '/profiles', body: {} },
  { version: 'v4', path: '/profiles', body: {} },
  { version: 'v4', path: '/runs', body: { task: 'next' } },
  { version: 'v4', path: '/browsers', body: {} },
];

describe('a project whose credit is used up', () => {
  it.each(charged)('is refused $version POST $path, before anything is made', async ({ version, path, body }) => {
    const { db } = (await start(0)).backend;
    expect(await client(version).call('POST', path, body)).toEqual(refused);
    for (const table of ['sessions', 'runs', 'browsers', 'profiles'] as const)
      expect(await db.selectFrom(table).selectAll().execute()).toEqual([]);
  });

  it('is told first what is wrong with the request, and then about its credit before anything that stands in the way', async () => {
    await start(1);
    const api = client('v4');
    const { body } = await api.call('POST', '/runs', { task: 'one' });
    const { sessionId } = body;
    await (await waitForTask(agent, 'one')).step(1000);
    expect((await api.call('POST', '/runs', { task: '' })).status).toBe(422);
    expect((await api.call('POST', '/runs', { task: 'x', model: 'glm-5.2', modelParams: { a: 1 } })).status).toBe(422);
    const unknown = '00000000-0000-4000-8000-000000000000';
    expect((await api.call('POST', '/runs', { task: 'x', sessionId: unknown })).status).toBe(404);
    expect(await api.call('POST', '/runs', { task: 'x', sessionId })).toEqual(refused);
    expect((await api.call('POST', '/browsers', { timeout: 241 })).status).toBe(403);
    expect(await api.call('POST', `/sessions/${String(sessionId)}/queue`, { text: 'x' })).toEqual(refused);
    expect((await api.call('GET', `/sessions/${String(sessionId)}/queue`)).body['queue']).toEqual([]);
  });

  it('still sees what it has, and may work on with what the companion lists no 402 for', async () => {
    await start(0);
    expect((await client('v2').call('GET', '/billing/account')).body).toMatchObject({ totalCreditsBalanceUsd: 0 });
    expect((await client('v4').call('GET', '/runs')).status).toBe(200);
    expect((await client('v2').call('POST', '/tasks', { task: 'x' })).status).toBe(202);
    expect((await client('v3').call('POST', '/sessions', { task: 'x' })).status).toBe(200);
  });
});

describe('credit', () => {
  it('counts from the first micro-dollar that is spent', async () => {
    await start(20_000);
    const api = client('v4');
    const { body } = await api.call('POST', '/runs', { task: 'one' });
    const running = await waitForTask(agent, 'one');
    await running.step(1000);
    expect((await api.call('POST', '/browsers', {})).status).toBe(201);
    await running.step(10_000);
    expect(await api.call('POST', '/browsers', {})).toEqual(refused);
    running.finish({ success: true, output: 'a run that works is not ended' });
    await api.until(String(body['id']), ({ status }) => status === 'completed');
  });

  it('that was never given has no bound', async () => {
    await start();
    const api = client('v4');
    const { body } = await api.call('POST', '/runs', { task: 'one' });
    await (await waitForTask(agent, 'one')).step(100_000_000);
    expect(Number((await client('v3').call('GET', '/billing/account')).body['totalCreditsBalanceUsd'])).toBeLessThan(0);
    expect((await api.call('POST', `/sessions/${String(body['sessionId'])}/queue`, { text: 'x' })).status).toBe(200);
  });
});

it('the bound of a credit can be taken away again', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'svc-credit-'));
  const statuses: number[] = [];
  for (const creditMicros of [0, null]) {
    const service = await startBackend({ dataFolder, grant: { creditMicros } });
    statuses.push((await createApiClient(service.address, undefined, 'v2').call('POST', '/profiles', {})).status);
    await service.stop();
  }
  rmSync(dataFolder, { recursive: true });
  expect(statuses).toEqual([402, 201]);
});

describe('the account', () => {
  it('says which key asks, and how many sandboxes live', async () => {
    await start();
    const account = async () => (await client('v3').call('GET', '/billing/account')).body;
    expect(await account()).toMatchObject({
      activeSessionCount: 0,
      concurrentSessionLimit: 25,
      tracingDisabled: false,
    });
    await client('v3').call('POST', '/sessions', { task: 'one' });
    await client('v4').call('POST', '/browsers', {});
    const { apiKeyId, activeSessionCount } = await account();
    expect(activeSessionCount).toBe(2);
    expect(apiKeyId).toMatch(/^[0-9a-f]{16}$/);
    expect((await client('v2').call('GET', '/billing/account')).body['apiKeyId']).toBe(apiKeyId);
  });
});
