import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Grant } from '#accounts/api-keys.ts';
import { createIssuedKeys } from '#accounts/api-keys.ts';
import { type Projects, createProjects } from '#accounts/projects.ts';
import { createApiClient } from '../support/api-client.ts';
import { type StartedBackend, startBackend, testKey } from '../support/start-backend.ts';

let started: StartedBackend;
let projects: Projects;

beforeEach(async () => {
  started = await startBackend({ activeSessionsMax: 3 });
  projects = createProjects(started.backend.db);
});
afterEach(() => started.stop());

/** Creates a project with a key; returns the project's id and the key. Throws for a name that is taken. */
async function make(name: string, grant: Grant): Promise<{ readonly id: string; readonly key: string }> {
  const made = await projects.create({ id: randomUUID(), name, grant, nowMs: 7 });
  if (made === null) throw new Error(`${name} is taken`);
  const wanted = { projectId: made.id, name: null, nowMs: 7, expiresAtMs: null };
  return { id: made.id, key: (await createIssuedKeys(started.backend.db).issue(wanted)).key };
}

const account = async (key: string) =>
  (await createApiClient(started.address, key, 'v2').call('GET', '/billing/account')).body;
const open = async (key: string) => createApiClient(started.address, key, 'v3').call('POST', '/sessions', {});

describe('a project', () => {
  it('has a name that no other one has', async () => {
    await make('one', {});
    expect(await projects.create({ id: randomUUID(), name: 'one', grant: {}, nowMs: 8 })).toBeNull();
    expect((await projects.list()).map(({ name }) => name)).toEqual(['one', expect.any(String), expect.any(String)]);
  });

  it('may have as many living sandboxes as it is given, of sessions and browsers alike; others as many as the service gives', async () => {
    const { id, key } = await make('small', { sessionsMax: 1 });
    expect(await account(key)).toMatchObject({ concurrentSessionLimit: 1 });
    expect(await account(testKey)).toMatchObject({ concurrentSessionLimit: 3 });
    const v4 = createApiClient(started.address, key, 'v4');
    expect((await open(key)).status).toBe(200);
    const refused = await open(key);
    expect(refused.status).toBe(429);
    expect((await v4.call('POST', '/browsers', {})).status).toBe(429);
    await projects.change(id, { sessionsMax: 2 });
    expect((await v4.call('POST', '/browsers', {})).status).toBe(201);
    expect((await open(key)).status).toBe(429);
    await projects.change(id, { sessionsMax: null });
    expect((await open(key)).status).toBe(200);
    expect((await open(key)).status).toBe(429);
    expect(await account(key)).toMatchObject({ activeSessionCount: 3, concurrentSessionLimit: 3 });
  });

  it('has a credit of its own, which can be raised', async () => {
    const { id, key } = await make('poor', { creditMicros: 0 });
    const api = createApiClient(started.address, key, 'v4');
    expect((await api.call('POST', '/profiles', {})).status).toBe(402);
    expect(await projects.change(id, { creditMicros: 1_000_000 })).toMatchObject({ creditMicros: 1_000_000 });
    expect((await api.call('POST', '/profiles', {})).status).toBe(201);
    expect(await projects.change(id, {})).toMatchObject({ creditMicros: 1_000_000, sessionsMax: null });
  });
});
