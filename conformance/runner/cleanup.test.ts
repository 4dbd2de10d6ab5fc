import { expect, it } from 'vitest';
import { clean } from './clean.ts';
import { sendOverHttp } from '../transport/send-over-http.ts';
import { run } from './run.ts';
import { fakeKey, startFakeService } from '../testing/fake-service.ts';
import { fakeTarget } from '../testing/fake-target.ts';

it('lets sandboxes start again when the run ends while none can', async () => {
  const service = await startFakeService();
  const abort = new AbortController();
  const faults: unknown[] = [];
  const report = await run({
    target: fakeTarget(service.url),
    apiKey: fakeKey,
    only: ['LIFE-10'],
    spend: 'task',
    signal: abort.signal,
    transport: async (request) => {
      const answer = await sendOverHttp(request);
      if (!request.url.endsWith('/faults')) return answer;
      faults.push(request.body);
      abort.abort();
      return answer;
    },
  });
  await service.close();
  expect(report.requirements.find(({ id }) => id === 'LIFE-10')?.verdict).toBe('notRun');
  expect(faults).toEqual(['{"sandboxStart":"fail"}', '{"sandboxStart":null}']);
});

it('lets sandboxes start again after a run that was killed while none could', async () => {
  const service = await startFakeService();
  const target = fakeTarget(service.url);
  await fetch(`${target.control}/faults`, { method: 'POST', body: '{"sandboxStart":"fail"}' });
  await clean({ target, apiKey: fakeKey, entries: [] });
  const report = await run({ target, apiKey: fakeKey, only: ['LIFE-16'], spend: 'task' });
  await service.close();
  expect(report.requirements.find(({ id }) => id === 'LIFE-16')?.verdict).toBe('pass');
});
