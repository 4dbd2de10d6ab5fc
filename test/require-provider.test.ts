import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelRoute } from '#agent/model/model-call.ts';
import type { JsonObject } from '#lib/json.ts';
import { withProviderKeys } from '../src/cli/admin/admin-database.ts';
import { createApiClient } from './support/api-client.ts';
import { createScriptedModels } from './support/scripted-models.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';

/** A service that has a direct key of one provider and requires a provider. */
let service: StartedBackend;

beforeAll(async () => {
  const models = createScriptedModels(new Map<string, ModelRoute>([['anthropic', 'direct']]));
  service = await startBackend({ models, requiresProvider: true });
});
afterAll(() => service.stop());

const task = 'Say hello';

type Call = { readonly version: 'v2' | 'v3' | 'v4'; readonly path: string; readonly member: string };

const calls: readonly (Call & { readonly served: string; readonly other: string; readonly msg: string })[] = [
  {
    version: 'v2',
    path: '/tasks',
    member: 'llm',
    served: 'claude-sonnet-5',
    other: 'svc-llm',
    msg: 'This service calls models only, and has no key of provider "google" for model "svc-llm": choose a model of one of its providers (anthropic), or ask its operator for a key',
  },
  {
    version: 'v3',
    path: '/sessions',
    member: 'model',
    served: 'svc-max',
    other: 'glm-5.2',
    msg: 'This service has no route to model "glm-5.2" of provider "zai": choose another model, or set useOwnKey to true with your own provider key',
  },
  {
    version: 'v4',
    path: '/runs',
    member: 'model',
    served: 'claude-opus-5',
    other: 'gpt-5.5',
    msg: 'This service calls models only, and no key of provider "openai" is stored for model "gpt-5.5": add your own in the account settings, or choose a model of one of its providers (anthropic)',
  },
];

const create = ({ version, path }: Call, body: JsonObject): Promise<{ status: number; body: JsonObject }> =>
  createApiClient(service.address, testKey, version).call('POST', path, { task, ...body });

describe.each(calls)('where a provider is required, $version POST $path', (call) => {
  it('refuses a model that no key can call, and names the next step', async () => {
    const detail = [{ loc: ['body', call.member], msg: call.msg, type: 'value_error' }];
    expect(await create(call, { [call.member]: call.other })).toEqual({ status: 422, body: { detail } });
  });

  it('accepts a model of a provider with a key', async () => {
    expect((await create(call, { [call.member]: call.served })).status).toBeLessThan(300);
  });
});

it('accepts a V4 model whose key the project has stored', async () => {
  const stored = await startBackend({ models: createScriptedModels(new Map()), requiresProvider: true });
  try {
    const v4 = createApiClient(stored.address, testKey, 'v4');
    const run = { task, model: 'gpt-5.5' };
    expect((await v4.call('POST', '/runs', run)).status).toBe(422);
    const place = { data: stored.dataFolder, project: 'project of svc_test' };
    await withProviderKeys(place, (keys, id) =>
      keys.set(id, { provider: 'openai', key: 'sk-of-the-project', nowMs: 0 }),
    );
    expect((await v4.call('POST', '/runs', run)).status).toBe(200);
  } finally {
    await stored.stop();
  }
});

it('checks a queued V4 message against the model of the latest run, which runs the message', async () => {
  const v4 = createApiClient(service.address, testKey, 'v4');
  const place = { data: service.dataFolder, project: 'project of svc_test' };
  const run = async (body: JsonObject): Promise<string> => {
    const { body: made } = await v4.call('POST', '/runs', { task, ...body });
    const active = new Set<unknown>(['queued', 'dispatching', 'running']);
    const ended = await v4.until(String(made['id']), ({ status }) => !active.has(status));
    expect(ended).toMatchObject({ model: body['model'], status: 'completed' });
    return String(made['sessionId']);
  };
  const [served, stored] = ['claude-opus-5', 'gpt-5.5'];
  await withProviderKeys(place, (keys, id) => keys.set(id, { provider: 'openai', key: 'sk-of-the-project', nowMs: 0 }));
  const nowServed = await run({ model: stored });
  await run({ model: served, sessionId: nowServed });
  const nowStored = await run({ model: served });
  await run({ model: stored, sessionId: nowStored });
  await withProviderKeys(place, (keys, id) => keys.remove(id, 'openai'));
  expect((await v4.call('POST', `/sessions/${nowServed}/queue`, { text: task })).status).toBe(200);
  const refused = await v4.call('POST', `/sessions/${nowStored}/queue`, { text: task });
  expect(refused).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'text'] }] } });
});
