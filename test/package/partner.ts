import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeFileSync } from 'node:fs';
import { ServiceError, type StartedMock, checkClient, createClient, startMock } from 'svc-contract';

// A partner's test, which runs unchanged in the folder where the package is installed.

let mock: StartedMock;
beforeAll(async () => {
  mock = await startMock({ stateful: true, speed: 100 });
});
afterAll(() => mock.close());

it('a run is created, moves and ends', async () => {
  const { v4 } = createClient({ baseUrl: mock.address, apiKey: mock.apiKey });
  const { id, status } = await v4.POST('/runs', { body: { task: 'svc-test: succeed', model: 'gpt-5.6-luna' } });
  expect(status).not.toBe('completed');
  const run = await v4.waitForRun(id, { intervalMs: 50, timeoutMs: 20_000 });
  expect(run).toMatchObject({ id, status: 'completed', result: 'svc-test: succeed' });
});

it('a refusal can be told', async () => {
  const { v3 } = createClient({ baseUrl: mock.address, apiKey: mock.apiKey });
  const body = { task: 'x', model: 'minimax-m3', thinkingLevel: 'low', useOwnKey: true } as const;
  const refused = v3.POST('/sessions', { body });
  await expect(refused).rejects.toThrow(ServiceError);
  await expect(refused).rejects.toMatchObject({ status: 422, code: 'value_error' });
});

const adapter = `import { createClient } from 'svc-contract/client';
const { v4 } = createClient({ baseUrl: process.env.SERVICE_API_URL });
const { create, pollMs } = JSON.parse(process.env.SVC_INPUT);
const { id } = await v4.POST('/runs', { body: create });
const { status, result, totalCostUsd } = await v4.waitForRun(id, { intervalMs: pollMs });
console.log(JSON.stringify({ id, status, output: result, cost: totalCostUsd }));
`;

it('a client is judged by the rules for clients', async () => {
  writeFileSync('adapter.mjs', adapter);
  const report = await checkClient({ command: [process.execPath, 'adapter.mjs'], only: ['ends-failed', 'no-key'] });
  const kept = report.requirements.flatMap(({ id, verdict }) => (verdict === 'pass' ? [id] : []));
  expect(report.totals.violations).toBe(0);
  expect(kept).toEqual(expect.arrayContaining(['CLIENT-KEY-01', 'CLIENT-KEY-06', 'CLIENT-POLL-04', 'CLIENT-POLL-05']));
});
