import { expect, it } from 'vitest';
import { run } from '../../runner/run.ts';
import { fakeKey, startFakeService } from '../../testing/fake-service.ts';
import { fakeTarget } from '../../testing/fake-target.ts';

/** Runs AUTH-01 while the first `times` requests to V3 sessions without a key get no answer. Returns the verdict. */
async function judgeLost(times: number): Promise<string | undefined> {
  const service = await startFakeService();
  let lost = 0;
  try {
    const report = await run({
      target: fakeTarget(service.url),
      apiKey: fakeKey,
      only: ['AUTH-01'],
      spend: 'none',
      ratePerSecond: 0,
      seed: 1,
      transport: (request) => {
        const isLost = request.url.includes('/api/v3/sessions') && request.headers['X-Service-API-Key'] === undefined;
        if (!isLost || lost === times) return service.transport(request);
        lost += 1;
        return Promise.resolve({ status: 0, headers: {}, body: '', fault: 'nothing within 30000 ms' });
      },
    });
    expect(lost).toBe(times);
    return report.requirements.find(({ id }) => id === 'AUTH-01')?.verdict;
  } finally {
    await service.close();
  }
}

it.each([
  { times: 1, verdict: 'pass' },
  { times: 2, verdict: 'violation' },
])('requests without a key that get no answer $times times: $verdict', async ({ times, verdict }) => {
  expect(await judgeLost(times)).toBe(verdict);
});
