import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseTarget, run } from '#conformance/index.ts';
import { otherKey, startBackend, testKey } from './support/start-backend.ts';

it.each([1, 2])(
  'a service whose limit of living sessions is %i is judged to the end, without a false alarm',
  async (most) => {
    const started = await startBackend({ activeSessionsMax: most });
    try {
      const file = readFileSync('examples/targets/reference.yaml', 'utf8').replace(/intervalMs: \d+/, 'intervalMs: 2');
      const report = await run({
        target: parseTarget({ url: started.address, text: `${file}v4: { browsers: null }\n` }),
        apiKey: testKey,
        otherApiKey: otherKey,
        spend: 'task',
        seed: most,
        // The service asks for waits of seconds in Retry-After.
        retryAfterMaxMs: 100,
        ratePerSecond: 0,
      });
      const alarms = report.requirements.filter(({ verdict }) => ['violation', 'error'].includes(verdict));
      expect(alarms.map(({ id, failures }) => `${id}: ${failures[0]?.message ?? ''}`)).toEqual([]);
      expect([report.ended, report.left]).toEqual(['complete', []]);
      const busy = report.requirements.filter(({ reason = '' }) => reason.startsWith('the target answered 429'));
      expect(busy.length).toBeGreaterThan(0);
    } finally {
      await started.stop();
    }
  },
);
