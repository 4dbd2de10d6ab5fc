import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createLocalHost } from '#backend/browsers/index.ts';
import { type StartedBackend, startBackend } from './support/start-backend.ts';
import { startRealBackend } from './support/start-real-backend.ts';

let started: Pick<StartedBackend, 'address' | 'stop'>;
afterEach(() => started.stop());

async function ready(): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${started.address}/readyz`);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  return { status: answer.status, body: await answer.json() };
}

it('a service of simulated browsers is ready', async () => {
  started = await startBackend();
  expect(await ready()).toEqual({ status: 200, body: { status: 'ready', browsers: { kind: 'simulated' } } });
});

it('a service of real browsers says how they are held, and names no paths', async () => {
  const real = await startRealBackend();
  started = real;
  const { status, body } = await ready();
  expect(status).toBe(200);
  expect(body).toMatchObject({
    status: 'ready',
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
  expect(await ready()).toEqual({
    status: 503,
    body: { status: 'no browser can be started', browsers: { kind: 'local' } },
  });
  await host.close();
  rmSync(directory, { recursive: true });
});
