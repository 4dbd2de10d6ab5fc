import { afterAll, beforeAll, expect, it } from 'vitest';
import { ServiceError, type StartedMock, createClient, startMock } from 'svc-contract';

// A partner's test, as it stands in the folder that the package is installed in.

let mock: StartedMock;
beforeAll(async () => {
  mock = await startMock({ stateful: true, speed: 100 });
}, 60_000);
afterAll(() => mock.close());

it('a run is created, moves and ends', async () => {
  const { v4 } = createClient({ baseUrl: mock.address, apiKey: mock.apiKey });
  const { id, status } = await v4.POST('/runs', { body: { task: 'svc-test: succeed', model: 'gpt-5.6-luna' } });
  expect(status).not.toBe('completed');
  const run = await v4.waitForRun(id, { intervalMs: 50, timeoutMs: 20_000 });
  expect(run).toMatchObject({ id, status: 'completed', result: 'svc-test: succeed' });
}, 30_000);

it('a refusal can be told', async () => {
  const { v3 } = createClient({ baseUrl: mock.address, apiKey: mock.apiKey });
  const body = { task: 'x', model: 'minimax-m3', thinkingLevel: 'low', useOwnKey: true } as const;
  const refused = v3.POST('/sessions', { body });
  await expect(refused).rejects.toThrow(ServiceError);
  await expect(refused).rejects.toMatchObject({ status: 422, code: 'value_error' });
});
