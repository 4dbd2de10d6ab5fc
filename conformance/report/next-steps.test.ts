import { describe, expect, it } from 'vitest';
import { dispatchReason, type Report } from '../core/report.ts';
import { createReport } from '../testing/create-report.ts';
import { judgeFake } from '../testing/judge-fake.ts';
import { fakeKey, startFakeService } from '../testing/fake-service.ts';
import { fakeTarget } from '../testing/fake-target.ts';
import { run } from '../runner/run.ts';
import { nextSteps } from './next-steps.ts';
import { leftText } from './words.ts';

const judged = { spend: 'none', only: ['errors'] } as const;

/** Judges a fake service that answers 404 to each request of one generation. */
async function judgeWithout(generation: string): Promise<Report> {
  const service = await startFakeService();
  const missing = { status: 404, headers: { 'content-type': 'application/json' }, body: '{"detail":"Not Found"}' };
  try {
    return await run({
      ...judged,
      target: fakeTarget(service.url),
      apiKey: fakeKey,
      ratePerSecond: 0,
      seed: 1,
      transport: (request) =>
        request.url.includes(`/api/${generation}/`) ? Promise.resolve(missing) : service.transport(request),
    });
  } finally {
    await service.close();
  }
}

describe('the next steps', () => {
  it.each(['v2', 'v4'])('say how a generation is left out whose paths are not served: %s', async (generation) => {
    const [first] = nextSteps(await judgeWithout(generation));
    expect(first).toContain(`serves nothing at the paths of ${generation.toUpperCase()}`);
    expect(first).toContain(`\`${generation}: null\``);
  });

  it('do not speak of a generation with one operation that answers wrongly', async () => {
    const report = await judgeFake({ faults: ['pair answers 400'], options: judged });
    expect(nextSteps(report).join(' ')).not.toContain('serves nothing');
  });

  it('say what lowers the load where the limits of the target left rows without a verdict', () => {
    const row = { verdict: 'notRun', reason: 'the target answered 429 to createRun: lower --rate' } as const;
    const [requirement] = createReport([]).requirements;
    const report = { ...createReport([]), requirements: [{ ...requirement!, ...row }] };
    expect(nextSteps(report).join(' ')).toContain('1 requirement without a verdict: `limits.sessionsAtOnce`');
  });

  it('say that a higher limit of tasks judges what the limit left out', () => {
    const row = { verdict: 'notRun', reason: `the limit of 25 ${dispatchReason} for stateful-sessions` } as const;
    const [requirement] = createReport([{ profile: 'documented' }]).requirements;
    const report = { ...createReport([]), requirements: [{ ...requirement!, ...row }] };
    expect(nextSteps(report).join(' ')).toContain('`--max-dispatches` adds up to 1 requirement.');
  });

  it('lead from a target that went away to its log, and to the clean-up where something is left', () => {
    const report: Report = { ...createReport([]), ended: 'unreachable' };
    const left = [{ kind: 'run', generation: 'v4', createdBy: 'createRun', state: 'requested' } as const];
    expect(nextSteps(report)[0]).toBe('Start the service again, and look in its log for the request that ended it.');
    expect(nextSteps({ ...report, left })[0]).toContain('`svc clean` ends what is left alive.');
  });
});

describe('a resource that is left', () => {
  const entry = { kind: 'task', generation: 'v2', createdBy: 'createTask' } as const;

  it.each([
    [{ ...entry, id: 't1', state: 'live' }, 'V2 task t1, which could not be ended'],
    [
      { ...entry, state: 'live' },
      'V2 task of unknown id: the answer of createTask has no id where the target file says',
    ],
    [
      { ...entry, state: 'requested' },
      'V2 task of unknown id, which may exist: createTask gave no answer, or a server error',
    ],
  ] as const)('is described by what is known of it: %j', (left, text) => {
    expect(leftText(left)).toBe(text);
  });
});
