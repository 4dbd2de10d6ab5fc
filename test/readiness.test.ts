import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createLocalHost } from '#browsers/index.ts';
import type { Blobs } from '#store/blobs/blobs.ts';
import { defaultRules, type RuleBook } from '#contract/rule-book.ts';
import { createApiClient } from './support/api-client.ts';
import { type StartedBackend, startBackend } from './support/start-backend.ts';
import { startRealBackend } from './support/start-real-backend.ts';

let started: Pick<StartedBackend, 'address' | 'stop'>;
afterEach(() => started.stop());

const allWell = { database: 'ok', blobs: 'ok', disk: 'ok', browsers: 'ok' };

async function ready(): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${started.address}/readyz`);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  return { status: answer.status, body: await answer.json() };
}

it('a service of simulated browsers is ready', async () => {
  started = await startBackend();
  expect(await ready()).toEqual({
    status: 200,
    body: {
      status: 'ready',
      checks: allWell,
      warnings: [],
      disk: { freeBytes: expect.any(Number), leastBytes: 268_435_456 },
      browsers: { kind: 'simulated' },
    },
  });
});

it('a service of real browsers says how they are held, and names no paths', async () => {
  const real = await startRealBackend();
  started = real;
  const { status, body } = await ready();
  expect(status).toBe(200);
  expect(body).toMatchObject({
    status: 'ready',
    checks: allWell,
    browsers: { kind: 'local', running: 0, isolation: { ownGroup: true, seccomp: expect.any(Boolean), bounds: null } },
  });
  expect(JSON.stringify(body)).not.toContain('/');
});

it('a service that can start no browser is not ready, and does not say why to everybody', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-ready-'));
  const log = { info: () => undefined, warn: () => undefined };
  const find = async () => ({ path: '/bin/false', environment: {}, source: 'installed' }) as const;
  const host = await createLocalHost({ directory, log, find });
  started = await startBackend({ host });
  expect(await ready()).toMatchObject({
    status: 503,
    body: {
      status: 'not ready',
      checks: { ...allWell, browsers: 'no browser can be started' },
      browsers: { kind: 'local' },
    },
  });
  await host.close();
  rmSync(directory, { recursive: true });
});

it('a service without its database is not ready, and alive', async () => {
  const backend = await startBackend();
  started = { address: backend.address, stop: async () => undefined };
  await backend.backend.db.destroy();
  expect(await ready()).toMatchObject({
    status: 503,
    body: { status: 'not ready', checks: { ...allWell, database: 'the database does not answer' } },
  });
  expect((await fetch(`${backend.address}/healthz`)).status).toBe(200);
  await backend.backend.app.close();
  rmSync(backend.dataFolder, { recursive: true });
});

it('a service whose blob store fails, or does not answer in time, is not ready', async () => {
  const gone = (): Promise<never> => Promise.reject(new Error('no bucket of that name at https://secret.example'));
  const never = new Promise<never>(() => undefined);
  for (const get of [gone, () => never]) {
    const blobs: Blobs = { get, write: gone, read: gone, remove: gone };
    started = await startBackend({ blobs, rules: withLimit('readinessCheck', 50) });
    const { status, body } = await ready();
    expect({ status, body }).toMatchObject({
      status: 503,
      body: { checks: { blobs: 'the blob store does not answer' } },
    });
    expect(JSON.stringify(body)).not.toContain('secret');
    await started.stop();
  }
  started = await startBackend();
});

it('a service whose disk is almost full is not ready', async () => {
  started = await startBackend({ rules: withLimit('freeDisk', Number.MAX_SAFE_INTEGER) });
  expect(await ready()).toMatchObject({
    status: 503,
    body: { checks: { ...allWell, disk: 'the disk is almost full' } },
  });
});

it('a service that is shut down is not ready, takes nothing new, and goes on with all else until its task has ended', async () => {
  const backend = await startBackend();
  started = backend;
  const v3 = createApiClient(backend.address);
  const running = (await v3.call('POST', '/sessions', { task: 'svc-test: slow 60', keepAlive: true })).body;
  const id = String(running['id']);
  await v3.until(id, ({ status }) => status === 'running');
  let hasDrained = false;
  const drained = backend.backend.drain(3_600_000).then(() => (hasDrained = true));

  expect(await ready()).toMatchObject({ status: 503, body: { status: 'shutting down', checks: allWell } });
  for (const [version, path, body] of refused) {
    const answer = await createApiClient(backend.address, undefined, version).call('POST', path, body);
    expect([path, answer.status, answer.body]).toEqual([path, 503, { detail: expect.stringContaining('shut down') }]);
  }
  expect((await v3.call('GET', '/sessions')).body['total']).toBe(1);
  expect((await v3.call('GET', `/sessions/${id}`)).body['status']).toBe('running');
  expect(hasDrained).toBe(false);
  expect((await v3.call('POST', `/sessions/${id}/stop`, { strategy: 'task' })).status).toBe(200);
  await drained;
});

it('a caller without a key is told nothing of a shutdown', async () => {
  const backend = await startBackend();
  started = backend;
  await backend.backend.drain(0);
  const answer = await fetch(`${backend.address}/api/v3/sessions`, { method: 'POST' });
  expect(answer.status).toBe(401);
});

it('a refusal says when to come again', async () => {
  const backend = await startBackend();
  started = backend;
  await backend.backend.drain(0);
  const headers = { 'X-Service-API-Key': 'svc_test_key', 'content-type': 'application/json' };
  const answer = await fetch(`${backend.address}/api/v4/browsers`, { method: 'POST', headers, body: '{}' });
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
});

const refused = [
  ['v2', '/sessions', {}],
  ['v2', '/tasks', { task: 'svc-test: succeed' }],
  ['v3', '/sessions', { task: 'svc-test: succeed' }],
  ['v4', '/runs', { task: 'svc-test: succeed' }],
  ['v4', '/browsers', {}],
] as const;

function withLimit(limit: string, value: number): RuleBook {
  const limits = defaultRules.limits.limits.map((row) => (row.limit === limit ? { ...row, value } : row));
  return { ...defaultRules, limits: { ...defaultRules.limits, limits } };
}
