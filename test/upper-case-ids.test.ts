import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApiClient } from './support/api-client.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';

let started: StartedBackend;

beforeAll(async () => {
  started = await startBackend();
});
afterAll(() => started.stop());

const api = (version: 'v2' | 'v3' | 'v4') => createApiClient(started.address, testKey, version);

// A UUID may have letters in either case (RFC 9562).
it.each([
  { version: 'v2', collection: '/sessions', body: {} },
  { version: 'v2', collection: '/tasks', body: { task: 'Say hello' } },
  { version: 'v2', collection: '/profiles', body: {} },
  { version: 'v3', collection: '/sessions', body: {} },
  { version: 'v3', collection: '/workspaces', body: {} },
  { version: 'v4', collection: '/runs', body: { task: 'Say hello' } },
  { version: 'v4', collection: '/browsers', body: {} },
  { version: 'v4', collection: '/workspaces', body: {} },
] as const)('$version $collection finds an id in upper case', async ({ version, collection, body }) => {
  const { id } = (await api(version).call('POST', collection, body)).body;
  const found = await api(version).call('GET', `${collection}/${String(id).toUpperCase()}`);
  expect([found.status, found.body['id']]).toEqual([200, id]);
});

it('a profile id in upper case names the same profile', async () => {
  const { id } = (await api('v4').call('POST', '/profiles', {})).body;
  const profileId = String(id).toUpperCase();
  const session = await api('v3').call('POST', '/sessions', { profileId });
  expect([session.status, session.body['profileId']]).toEqual([200, id]);
  // A profile can be in use by one browser at a time (decision 27).
  await api('v3').call('POST', `/sessions/${String(session.body['id'])}/stop`, { strategy: 'session' });
  const browserSettings = { profileId };
  const run = await api('v4').call('POST', '/runs', { task: 'Say hello', browserSettings });
  await api('v4').until(String(run.body['id']), ({ status }) => status === 'completed');
  const sessionId = run.body['sessionId'] ?? null;
  const again = await api('v4').call('POST', '/runs', { task: 'Say hello', sessionId, browserSettings });
  expect([run.status, again.status]).toEqual([200, 200]);
  expect((await api('v2').call('GET', `/profiles/${profileId}`)).body['lastUsedAt']).not.toBeNull();
});
