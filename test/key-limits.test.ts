import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIssuedKeys } from '#accounts/api-keys.ts';
import { picosPerMicro } from '#contract/money.ts';
import { defaultRules } from '#contract/rule-book.ts';
import type { JsonObject } from '#lib/json.ts';
import { spentByKey } from '#sessions/project-spend.ts';
import { createApiClient } from './support/api-client.ts';
import { logInWithKey } from './support/console-client.ts';
import { createScriptedAgent, type ScriptedAgent, waitForTask } from './support/scripted-agent.ts';
import { asking, createScriptedModels, replied } from './support/scripted-models.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';

/** Monthly cost limit of a key in micro-dollars. It is less than the price of two hours of a browser. */
const capMicros = 30_000;

const models = createScriptedModels();
let service: StartedBackend;
let agent: ScriptedAgent;
let key: string;
let id: string;

beforeAll(async () => {
  agent = createScriptedAgent();
  models.answering = async () => replied(1_000, 1_000);
  const noRun = () => Promise.reject(new Error('no run is expected'));
  const examiner = { examine: noRun, close: () => Promise.resolve() };
  service = await startBackend({ agent, models, examiner });
  const { id: projectId } = await service.backend.db.selectFrom('projects').select('id').executeTakeFirstOrThrow();
  const wanted = { projectId, name: 'limited', nowMs: service.clock.now(), expiresAtMs: null };
  const made = await createIssuedKeys(service.backend.db).issue({ ...wanted, monthlyMicros: capMicros });
  key = made.key;
  id = made.issued.id;
});
afterAll(() => service.stop());

const v4 = (apiKey = key) => createApiClient(service.address, apiKey, 'v4');
const limit = (micros: number | null) => createIssuedKeys(service.backend.db).limit(id, micros);

describe('a key with a monthly limit', () => {
  it('makes no key without the limit in the console, and starts no run of the suite with one', async () => {
    const login = await logInWithKey(service.address, key);
    const refused = { status: 403, body: { detail: expect.stringContaining('monthly limit') } };
    expect(await login.call('POST', '/keys', { name: 'free' })).toEqual(refused);
    expect(await login.call('POST', '/keys', { name: 'same', monthlyMicros: capMicros })).toEqual(refused);
    expect(await login.call('POST', '/examination', { spend: 'task', profile: 'documented' })).toEqual(refused);
    const { body } = await login.call('GET', '/keys');
    expect(body).toHaveLength(2);
    const free = await logInWithKey(service.address, testKey);
    expect((await free.call('POST', '/keys', { name: 'other' })).status).toBe(200);
  });

  it('is refused with the cap and the spend once the limit is used up, and another key is not', async () => {
    expect((await v4().call('POST', '/browsers', { timeout: 60 })).status).toBe(201);
    expect((await v4().call('POST', '/browsers', { timeout: 60 })).status).toBe(201);
    const refused: Record<string, JsonObject> = { '/browsers': {}, '/runs': { task: 'Say hello' } };
    for (const [path, body] of Object.entries(refused)) {
      const answer = await v4().call('POST', path, body);
      expect(answer).toEqual({
        status: 402,
        body: {
          detail: {
            code: 'api_key_monthly_spend_limit_reached',
            message: expect.stringMatching(/^This key has spent 0.04 of the 0.03 US dollars .*another key/),
            cap: 0.03,
            spent: 0.04,
          },
        },
      });
    }
    expect((await v4('svc_test_key').call('POST', '/browsers', {})).status).toBe(201);
    const { cookie, token } = await logInWithKey(service.address, key);
    const answer = await fetch(`${service.address}/api/v4/browsers`, {
      method: 'POST',
      headers: { cookie, 'x-service-console': token, origin: service.address, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(answer.status).toBe(402);
  });

  it('is accepted again when its limit is raised or removed, and in the next month', async () => {
    await limit(capMicros * 2);
    expect((await v4().call('POST', '/browsers', {})).status).toBe(201);
    await limit(capMicros);
    expect((await v4().call('POST', '/browsers', {})).status).toBe(402);
    const month = 31 * 24 * 3_600_000;
    service.clock.advance(month);
    expect((await v4().call('POST', '/browsers', {})).status).toBe(201);
    await limit(null);
    expect((await v4().call('POST', '/browsers', {})).status).toBe(201);
  });

  it('is not exceeded by calls of two sessions at the same time', async () => {
    await limit(null);
    const v3 = createApiClient(service.address, key, 'v3');
    const goals = ['Say one', 'Say two'];
    for (const task of goals) expect((await v3.call('POST', '/sessions', { task })).status).toBeLessThan(300);
    const [one, two] = [await waitForTask(agent, 'Say one'), await waitForTask(agent, 'Say two')];
    const answered = Promise.withResolvers<ReturnType<typeof replied>>();
    models.answering = () => answered.promise;
    const first = one.world.model?.call(asking(1_000));
    const { db } = service.backend;
    await expect.poll(async () => (await db.selectFrom('model_calls').selectAll().execute()).length).toBe(1);
    const { reservedPicos } = await db.selectFrom('model_calls').select('reservedPicos').executeTakeFirstOrThrow();
    const spent = await spentByKey({ db, rules: defaultRules, clock: service.clock }, id);
    await limit(spent + Math.ceil((reservedPicos * 1.1) / picosPerMicro));
    await expect(two.world.model?.call(asking(1_000))).rejects.toMatchObject({
      kind: 'ceiling',
      reason: expect.stringContaining('monthly limit of the key'),
    });
    answered.resolve(replied(10, 10));
    await first;
    models.answering = async () => replied(1_000, 1_000);
  });

  it('ends a task of V3 before a call that may exceed it', async () => {
    await limit(1);
    const v3 = createApiClient(service.address, key, 'v3');
    const { body } = await v3.call('POST', '/sessions', { task: 'Say hello' });
    const task = await waitForTask(agent, 'Say hello');
    await expect(task.world.model?.call(asking(1_000))).rejects.toMatchObject({
      kind: 'ceiling',
      reason: expect.stringContaining('monthly limit of the key'),
    });
    const ended = await v3.until(String(body['id']), ({ isTaskSuccessful }) => isTaskSuccessful === false);
    expect(ended['totalInputTokens']).toBe(0);
  });
});
