import { afterEach, beforeEach, expect, it } from 'vitest';
import { type LedgerEntry, clean, parseTarget, run } from '#conformance/index.ts';
import { createApiClient } from './support/api-client.ts';
import { type StartedBackend, otherKey, startBackend, testKey } from './support/start-backend.ts';

let started: StartedBackend;

beforeEach(async () => {
  started = await startBackend();
});

afterEach(() => started.stop());

async function make(version: 'v2' | 'v4', path: string): Promise<string> {
  return String((await createApiClient(started.address, testKey, version).call('POST', path, {})).body['id']);
}

it('svc clean removes the profiles and workspaces of a run that was cut off', async () => {
  const profile = await make('v2', '/profiles');
  const workspace = await make('v4', '/workspaces');
  const entries: LedgerEntry[] = [
    { kind: 'profile', generation: 'v2', id: profile, createdBy: 'createProfile', state: 'live' },
    { kind: 'workspace', generation: 'v4', id: workspace, createdBy: 'createWorkspace', state: 'live' },
  ];
  const target = parseTarget({ url: started.address });
  const after = await clean({ target, apiKey: testKey, entries });
  expect(after.entries.map(({ state }) => state)).toEqual(['ended', 'ended']);
  const v3 = createApiClient(started.address, testKey, 'v3');
  expect((await v3.call('GET', `/profiles/${profile}`)).status).toBe(404);
  expect((await v3.call('GET', `/workspaces/${workspace}`)).status).toBe(404);
});

it('svc clean removes what a run has made in the other project, with its key', async () => {
  const theirs = createApiClient(started.address, otherKey, 'v3');
  const id = String((await theirs.call('POST', '/workspaces', {})).body['id']);
  const entry: LedgerEntry = { kind: 'workspace', generation: 'v3', id, createdBy: 'createWorkspace', state: 'live' };
  const target = parseTarget({ url: started.address });
  const options = { target, apiKey: testKey, entries: [{ ...entry, key: 'other' as const }] };
  expect((await clean(options)).entries.map(({ state }) => state)).toEqual(['live']);
  expect((await theirs.call('GET', `/workspaces/${id}`)).status).toBe(200);
  expect((await clean({ ...options, otherApiKey: otherKey })).entries.map(({ state }) => state)).toEqual(['ended']);
  expect((await theirs.call('GET', `/workspaces/${id}`)).status).toBe(404);
});

it('a run with two keys leaves nothing in either project', async () => {
  const target = parseTarget({ url: started.address });
  const options = {
    target,
    apiKey: testKey,
    otherApiKey: otherKey,
    seed: 1,
    ratePerSecond: 0,
    spend: 'storage',
  } as const;
  const report = await run({ ...options, only: ['KEYS-01', 'KEYS-02', 'KEYS-03', 'KEYS-04', 'KEYS-05'] });
  expect(report.requirements.map(({ verdict }) => verdict)).toEqual(['pass', 'pass', 'pass', 'pass', 'pass']);
  expect(report.left).toEqual([]);
  expect(report.created.map(({ key }) => key ?? 'ours')).toContain('other');
  for (const key of [testKey, otherKey]) {
    const v3 = createApiClient(started.address, key, 'v3');
    expect((await v3.call('GET', '/profiles')).body['totalItems']).toBe(0);
    expect((await v3.call('GET', '/workspaces')).body['totalItems']).toBe(0);
  }
});

it('a run at spend none makes no profile and no workspace; one at spend storage leaves none', async () => {
  const target = parseTarget({ url: started.address });
  const options = {
    target,
    apiKey: testKey,
    otherApiKey: otherKey,
    profile: 'full',
    only: ['profiles', 'workspaces', 'files'],
    seed: 1,
  } as const;
  const free = await run({ ...options, ratePerSecond: 0 });
  expect([free.created, free.beyond.notRun]).toEqual([[], free.requirements.length]);
  const stored = await run({ ...options, ratePerSecond: 0, spend: 'storage' });
  expect([stored.left, stored.beyond.passed]).toEqual([[], stored.requirements.length]);
  expect(stored.created.length).toBeGreaterThan(5);
  const v3 = createApiClient(started.address, testKey, 'v3');
  expect((await v3.call('GET', '/profiles')).body['totalItems']).toBe(0);
  expect((await v3.call('GET', '/workspaces')).body['totalItems']).toBe(0);
});

it('a run leaves neither the session nor the workspace that a V4 run makes by itself', async () => {
  const target = parseTarget({ url: started.address });
  const options = { target, apiKey: testKey, seed: 1, ratePerSecond: 0, spend: 'task' } as const;
  const report = await run({ ...options, only: ['V4-RUN-25'] });
  expect(report.requirements.map(({ verdict }) => verdict)).toEqual(['pass']);
  expect(report.created.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['run', 'session', 'workspace']));
  expect(report.left).toEqual([]);
  expect((await createApiClient(started.address, testKey, 'v4').call('GET', '/sessions')).body['sessions']).toEqual([]);
  expect((await createApiClient(started.address, testKey, 'v3').call('GET', '/workspaces')).body['totalItems']).toBe(0);
});
