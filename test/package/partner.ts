import { afterAll, beforeAll, expect, it } from 'vitest';
import { ServiceError, type StartedMock, createClient, startMock } from 'svc-contract';

// A partner's test, as it stands in the folder that the package is installed in.

let mock: StartedMock;
beforeAll(async () => {
  mock = await startMock();
}, 60_000);
afterAll(() => mock.close());

it('a run is created and waited for', async () => {
  const { v4 } = createClient({ baseUrl: mock.address, apiKey: mock.apiKey });
  const { id } = await v4.POST('/runs', { body: { task: 'Open https://example.com', model: 'gpt-5.6-luna' } });
  expect(await v4.GET('/runs/{run_id}', { params: { path: { run_id: id } } })).toHaveProperty('result');
});

it('a refusal can be told', async () => {
  const { v3 } = createClient({ baseUrl: mock.address, apiKey: mock.apiKey });
  const refused = v3.POST('/sessions', {
    body: { task: 'x', model: 'minimax-m3', thinkingLevel: 'low', useOwnKey: true },
  });
  await expect(refused).rejects.toThrow(ServiceError);
  await expect(refused).rejects.toMatchObject({ status: 422, code: 'value_error' });
});
