import { createClient } from 'svc-contract/client';
import { startMock } from 'svc-contract/mock';
import { afterAll, expect, test } from 'vitest';

// The stateful mock stores resources, and its sessions change state, ten times as fast as those of the service.
const mock = await startMock({ stateful: true, speed: 10 });
afterAll(() => mock.close());
const { v4 } = createClient({ baseUrl: mock.address, apiKey: mock.apiKey });
const model = 'gpt-5.6-luna';
const polling = { intervalMs: 50, timeoutMs: 20_000 };

test('a second task in the same session', async () => {
  const first = await v4.POST('/runs', { body: { task: 'svc-test: succeed', model } });
  await v4.waitForRun(first.id, polling);
  const second = await v4.POST('/runs', { body: { task: 'svc-test: succeed', sessionId: first.sessionId, model } });
  const ended = await v4.waitForRun(second.id, polling);
  expect([ended.status, ended.sessionId]).toEqual(['completed', first.sessionId]);
});

test('a task that breaks down', async () => {
  const { id } = await v4.POST('/runs', { body: { task: 'svc-test: crash', model } });
  expect(await v4.waitForRun(id, polling)).toMatchObject({ status: 'failed' });
});
