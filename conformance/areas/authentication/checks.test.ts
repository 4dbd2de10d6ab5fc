import { expect, it } from 'vitest';
import { type Recording, renderHar } from '../../recording/index.ts';
import { judgeRecording } from '../../runner/judge-recording.ts';
import { run } from '../../runner/run.ts';
import { fakeKey, otherFakeKey, startFakeService } from '../../testing/fake-service.ts';
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

it.each([
  { keyPrefix: null, verdict: 'notTestable' },
  { keyPrefix: 'svc_', verdict: 'pass' },
  { keyPrefix: 'svc_fake_', verdict: 'violation' },
  { keyPrefix: 'sk_', verdict: 'violation' },
  { keyPrefix: otherFakeKey, verdict: 'violation' },
])('keys that are compared with the prefix $keyPrefix: $verdict, also in the recording', async (given) => {
  const service = await startFakeService();
  const recordings: Recording[] = [];
  try {
    const report = await run({
      target: fakeTarget(service.url, { keyPrefix: given.keyPrefix }),
      apiKey: fakeKey,
      otherApiKey: otherFakeKey,
      only: ['AUTH-05'],
      seed: 1,
      transport: service.transport,
      onRecording: (recording) => recordings.push(recording),
    });
    const har = recordings.map((recording) => renderHar(recording)).join('');
    const again = await judgeRecording({ text: har });
    const [live, played] = [report, again].map(({ requirements: [row] }) => ({
      verdict: row?.verdict,
      messages: row?.failures.map(({ message }) => message),
    }));
    expect(live?.verdict).toBe(given.verdict);
    expect(played).toEqual(live);
    for (const text of [har, JSON.stringify(report)]) {
      expect(text).not.toContain(fakeKey);
      expect(text).not.toContain(otherFakeKey);
    }
  } finally {
    await service.close();
  }
});
