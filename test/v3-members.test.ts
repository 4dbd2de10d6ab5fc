import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';

let started: StartedBackend;
let api: ApiClient;

beforeAll(async () => {
  started = await startBackend();
  api = createApiClient(started.address, testKey, 'v3');
});
afterAll(() => started.stop());

const create = (body: JsonObject) => api.call('POST', '/sessions', body);

describe('members of session creation that the offline planner makes nothing of', () => {
  it.each([
    { enableScheduledTasks: true },
    { skills: false },
    { autoHeal: false },
    { cacheScript: false },
    { cacheScript: null },
    { sensitiveData: null },
    { sensitiveData: {} },
  ])('%j is accepted', async (member) => {
    expect((await create(member)).status).toBe(200);
  });

  it.each([{ enableScheduledTasks: 'yes' }, { skills: null }, { autoHeal: 1 }, { cacheScript: 'auto' }])(
    '%j is refused',
    async (member) => {
      expect((await create(member)).status).toBe(422);
    },
  );
});

it('a script is kept in a workspace: cacheScript needs a workspace, and a follow-up uses that of its session', async () => {
  const refused = await create({ task: 'Say hello', cacheScript: true });
  expect(refused.status).toBe(422);
  expect(refused.body['detail']).toMatchObject([{ loc: ['body', 'cacheScript'] }]);
  const workspace = (await api.call('POST', '/workspaces', {})).body['id'];
  const session = await create({
    task: 'Say hello',
    cacheScript: true,
    workspaceId: workspace ?? null,
    keepAlive: true,
  });
  expect(session.status).toBe(200);
  const sessionId = String(session.body['id']);
  await api.until(sessionId, ({ status }) => status === 'idle');
  expect((await create({ task: 'Say hello', cacheScript: true, sessionId })).status).toBe(200);

  const { id } = (await create({})).body;
  await api.until(String(id), ({ status }) => status === 'idle');
  const lacking = await create({ task: 'Say hello', cacheScript: true, sessionId: id ?? null });
  expect([lacking.status, lacking.body['detail']]).toEqual([422, refused.body['detail']]);
});
