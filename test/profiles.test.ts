import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSimulatedHost } from '#browsers/index.ts';
import type { JsonObject } from '#lib/json.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { createScriptedAgent, waitForTask } from './support/scripted-agent.ts';
import { type StartedBackend, otherKey, startBackend, testKey } from './support/start-backend.ts';

const versions = ['v2', 'v3', 'v4'] as const;
type Version = (typeof versions)[number];
const unknownId = '3f0c2b8e-5d1a-4c57-9e0b-6a7d2f1c8b90';
const notFound = { status: 404, body: { detail: 'Profile not found' } };

let started: StartedBackend;
const agent = createScriptedAgent();

beforeEach(async () => {
  started = await startBackend({ agent, activeSessionsMax: 1 });
});
afterEach(() => started.stop());

const api = (version: Version, key = testKey): ApiClient => createApiClient(started.address, key, version);

async function create(version: Version, body?: JsonObject): Promise<JsonObject> {
  const created = await api(version).call('POST', '/profiles', body);
  expect(created.status).toBe(201);
  return created.body;
}

const listed = async (version: Version, query = ''): Promise<JsonObject> =>
  (await api(version).call('GET', `/profiles${query}`)).body;

const names = (page: JsonObject): unknown[] => (page['items'] as JsonObject[]).map((item) => item['name']);

describe.each(versions)('%s profiles', (version) => {
  it('are made without a body, changed, read and deleted', async () => {
    const fresh = await create(version);
    expect(fresh).toEqual({
      id: expect.any(String),
      name: null,
      userId: null,
      lastUsedAt: null,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: fresh['createdAt'],
      cookieDomains: null,
    });
    const path = `/profiles/${String(fresh['id'])}`;
    started.clock.advance(10);
    const named = await api(version).call('PATCH', path, { name: 'shop', userId: 'user-17' });
    expect(named).toMatchObject({
      status: 200,
      body: { ...fresh, name: 'shop', userId: 'user-17', updatedAt: expect.any(String) },
    });
    expect(named.body['updatedAt']).not.toBe(fresh['updatedAt']);
    started.clock.advance(10);
    expect((await api(version).call('PATCH', path, {})).body).toEqual(named.body);
    const cleared = await api(version).call('PATCH', path, { name: null });
    expect(cleared.body).toMatchObject({ name: null, userId: 'user-17' });
    expect(await api(version).call('GET', path)).toEqual(cleared);

    for (const id of [fresh['id'], fresh['id'], unknownId]) {
      expect(await api(version).call('DELETE', `/profiles/${String(id)}`)).toEqual({ status: 204, body: {} });
    }
    expect(await api(version).call('GET', path)).toEqual(notFound);
    expect(await api(version).call('PATCH', path, { name: 'x' })).toEqual(notFound);
    expect(await api(version).call('PATCH', path, {})).toEqual(notFound);
  });

  it('are listed newest first, by page, and searched by name and user', async () => {
    const bodies: JsonObject[] = [
      { name: 'Alpha 100%' },
      { name: 'beta', userId: 'ALPHA-7' },
      { name: 'Ärger' },
      { name: 'x_y' },
    ];
    for (const body of bodies) {
      await create(version, body);
      started.clock.advance(10);
    }
    expect(await listed(version, '?pageSize=3')).toMatchObject({ totalItems: 4, pageNumber: 1, pageSize: 3 });
    expect(names(await listed(version, '?pageSize=3&pageNumber=2'))).toEqual(['Alpha 100%']);
    const found = async (query: string): Promise<unknown[]> =>
      names(await listed(version, `?query=${encodeURIComponent(query)}`));
    expect(await found('alpha')).toEqual(['beta', 'Alpha 100%']);
    expect(await found('0%')).toEqual(['Alpha 100%']);
    expect(await found('_')).toEqual(['x_y']);
    expect(await found('Ä')).toEqual(['Ärger']);
    expect(await found('ÄRG')).toEqual(['Ärger']);
    expect(await found('\\')).toEqual([]);
    expect(await found('')).toHaveLength(4);
    expect(await listed(version, '?query=alpha&pageSize=1')).toMatchObject({ totalItems: 2 });
  });

  it.each([
    { name: 'a name that is too long', body: { name: 'x'.repeat(101) } },
    { name: 'a user that is too long', body: { userId: 'x'.repeat(256) } },
    { name: 'a name that is a number', body: { name: 1 } },
  ])('$name is refused', async ({ body }) => {
    expect((await api(version).call('POST', '/profiles', body)).status).toBe(422);
    const { id } = await create(version, { name: 'x'.repeat(100), userId: 'x'.repeat(255) });
    expect((await api(version).call('PATCH', `/profiles/${String(id)}`, body)).status).toBe(422);
    expect((await api(version).call('PATCH', `/profiles/${String(id)}`)).status).toBe(422);
    expect((await api(version).call('GET', `/profiles?query=${'x'.repeat(201)}`)).status).toBe(422);
  });

  it('are shared by the generations of one project and do not exist for another', async () => {
    const profile = await create(version, { name: 'mine' });
    const path = `/profiles/${String(profile['id'])}`;
    for (const other of versions) {
      expect(await api(other).call('GET', path)).toEqual({ status: 200, body: profile });
      const stranger = api(other, otherKey);
      expect(await stranger.call('GET', path)).toEqual(notFound);
      expect(await stranger.call('PATCH', path, { name: 'theirs' })).toEqual(notFound);
      expect((await stranger.call('DELETE', path)).status).toBe(204);
      expect((await stranger.call('GET', '/profiles')).body).toMatchObject({ items: [], totalItems: 0 });
    }
    expect(await api(version).call('GET', path)).toEqual({ status: 200, body: profile });
  });
});

describe('a profile in use', () => {
  const places = [
    { name: 'a V3 session', version: 'v3', path: '/sessions', list: 'sessions', status: 200 },
    { name: 'a V4 browser', version: 'v4', path: '/browsers', list: 'items', status: 201 },
  ] as const;

  it.each(places)('$name has to name one that exists, before anything is created', async ({ version, path, list }) => {
    const { body: strange } = await api(version, otherKey).call('POST', '/profiles');
    for (const profileId of [unknownId, String(strange['id'])]) {
      expect(await api(version).call('POST', path, { profileId })).toEqual(notFound);
    }
    expect((await api(version).call('GET', path)).body[list]).toEqual([]);
  });

  it.each(places)(
    '$name shows when it was used; a refused creation does not count',
    async ({ version, path, status }) => {
      const { id: profileId = null } = await create(version);
      const lastUsedAt = async (): Promise<unknown> =>
        (await api(version).call('GET', `/profiles/${String(profileId)}`)).body['lastUsedAt'];
      const before = started.clock.now();
      const created = await api(version).call('POST', path, { profileId });
      expect(created.status).toBe(status);
      const used = await lastUsedAt();
      expect(Date.parse(String(used))).toBeGreaterThanOrEqual(before);
      started.clock.advance(1000);
      expect((await api(version).call('POST', path, { profileId })).status).toBe(429);
      expect(await lastUsedAt()).toBe(used);
    },
  );

  it('stays in the record of a session and can be deleted meanwhile', async () => {
    const { id: profileId = null } = await create('v4');
    const { body } = await api('v3').call('POST', '/sessions', { task: 'goal', profileId });
    await waitForTask(agent, 'goal');
    await api('v2').call('DELETE', `/profiles/${String(profileId)}`);
    expect((await api('v3').call('GET', `/sessions/${String(body['id'])}`)).body).toMatchObject({
      profileId,
      status: 'running',
    });
  });

  it('was not used by a browser that did not start', async () => {
    await started.stop();
    started = await startBackend({ agent, host: createSimulatedHost({ launchFailure: 'no room' }) });
    const { id: profileId = null } = await create('v4');
    expect((await api('v4').call('POST', '/browsers', { profileId })).status).toBe(503);
    expect((await api('v4').call('GET', `/profiles/${String(profileId)}`)).body['lastUsedAt']).toBeNull();
  });
});
