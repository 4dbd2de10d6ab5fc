import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { SuiteError } from '../core/suite-error.ts';
import { spendLevels } from '../core/spend.ts';
import { settle } from './options.ts';
import type { RunOptions } from './settings.ts';
import type { Plan } from './plan.ts';
import { diffReports } from '../report/diff-reports.ts';
import { mergeReports } from '../report/merge-reports.ts';
import type { Report } from '../core/report.ts';
import { planOf } from './run.ts';
import type { Fault } from '../testing/faults.ts';
import { fakeTarget } from '../testing/fake-target.ts';
import { judgeFake } from '../testing/judge-fake.ts';

const target = fakeTarget('http://127.0.0.1:1');

function planShards(options: Partial<RunOptions>, of: number): Plan[] {
  return Array.from({ length: of }, (_none, at) => planOf({ ...full(options), shard: { index: at + 1, of } }));
}

function full(options: Partial<RunOptions>): RunOptions {
  return { target, apiKey: 'a', otherApiKey: 'b', profile: 'full', seed: 1, ...options };
}

function names(plan: Plan): string[] {
  return plan.scenarios.map(({ name }) => name);
}

describe('the shards of a plan', () => {
  it('drive every scenario once, judge every row, and dispatch together what one run would', () => {
    const anyRun = fc.record({
      of: fc.integer({ min: 1, max: 9 }),
      seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
      spend: fc.constantFrom(...spendLevels),
      maxDispatches: fc.integer({ min: 0, max: 90 }),
    });
    fc.assert(
      fc.property(anyRun, ({ of, ...options }) => {
        const whole = planOf(full(options));
        const parts = planShards(options, of);
        expect(parts.flatMap(names).toSorted()).toEqual(names(whole).toSorted());
        expect(parts.reduce((sum, { dispatches }) => sum + dispatches, 0)).toBe(whole.dispatches);
        const judged = new Set(parts.flatMap(({ shard }) => shard?.rows ?? []));
        const active = whole.rows.filter(({ skip }) => skip === undefined).map(({ requirement }) => requirement.id);
        expect([...judged].toSorted()).toEqual(active.toSorted());
        expect(new Set(parts.map(({ shard }) => shard?.plan)).size).toBe(1);
      }),
      { seed: 7, numRuns: 60 },
    );
  });

  it('have for each row of theirs every scenario that it needs', () => {
    for (const plan of planShards({ spend: 'task', maxDispatches: 60 }, 4)) {
      for (const id of plan.shard?.rows ?? []) {
        const row = plan.rows.find(({ requirement }) => requirement.id === id);
        expect(row?.check?.needs(target).filter((item) => plan.shard?.foreign.has(item))).toEqual([]);
      }
    }
  });

  it('share the tasks evenly', () => {
    // Scenarios of a common row stay together: the largest such group has less than a third of these tasks.
    const tasks = planShards({ spend: 'task', maxDispatches: 60 }, 3).map(({ dispatches }) => dispatches);
    expect(Math.max(...tasks) - Math.min(...tasks)).toBeLessThanOrEqual(2);
  });

  it('leave the clock to one of them', () => {
    const movers = planShards({ spend: 'task', maxDispatches: 60 }, 5).filter(({ scenarios }) =>
      scenarios.some(({ movesClock }) => movesClock === true),
    );
    expect(movers).toHaveLength(1);
  });

  it('have a plan of their own for another seed, another target and other options', () => {
    const shard = { index: 1, of: 2 };
    const plans = [{}, { seed: 2 }, { spend: 'task' }, { target: fakeTarget('http://127.0.0.1:2') }] as const;
    expect(new Set(plans.map((options) => planOf({ ...full(options), shard }).shard?.plan)).size).toBe(plans.length);
  });

  it.each([
    [{ index: 0, of: 2 }, 'shard 0/2'],
    [{ index: 3, of: 2 }, 'shard 3/2'],
    [{ index: 1.5, of: 2 }, 'shard 1.5/2'],
  ])('refuse %o', (shard, text) => {
    expect(() => planOf({ ...full({}), shard })).toThrow(text);
  });

  it('share the cost limit', () => {
    const limit = (shard: RunOptions['shard']): number | string =>
      settle({ ...full({ maxCostUsd: 3 }), ...(shard === undefined ? {} : { shard }) }).maxCostUsd;
    expect([limit(undefined), limit({ index: 2, of: 4 })]).toEqual([3, 0.75]);
  });

  it('refuse a run without a seed', () => {
    const { seed: _seed, ...options } = full({});
    expect(() => planOf({ ...options, shard: { index: 1, of: 2 } })).toThrow(SuiteError);
  });
});

async function judgeShards(of: number, faults: readonly Fault[], options: Partial<RunOptions> = {}): Promise<Report[]> {
  const reports: Report[] = [];
  for (let index = 1; index <= of; index += 1) {
    reports.push(await judgeFake({ faults, options: { ...options, shard: { index, of } } }));
  }
  // Every shard has its own fake service, on its own port.
  return reports.map((report) => ({ ...report, target: { ...report.target, url: 'http://127.0.0.1:1' } }));
}

/**
 * Requirements that each shard judges by the exchanges that it has recorded itself. The shards send different requests,
 * so the test compares only the verdicts of these requirements.
 */
const ofWhatWasSeen = ['AUTH-01', 'AUTH-03', 'AUTH-04', 'GEN-03'];

describe('the merged report of three shards', () => {
  it.each<[string, Fault[]]>([
    ['a good service', []],
    ['a broken service', ['one V3 cell accepted', 'detail is text', 'unknown model accepted']],
  ])('has the verdicts of one run, on %s', async (_name, faults) => {
    const whole = await judgeFake({ faults });
    const parts = await judgeShards(3, faults);
    const merged = mergeReports(samePlan(parts));
    const rows = diffReports(whole, merged).rows.filter(({ id, before, after }) => {
      const isOfWhatWasSeen = ofWhatWasSeen.includes(id) && before?.verdict === after?.verdict;
      return !isOfWhatWasSeen;
    });
    expect(rows).toEqual([]);
    expect(merged.totals).toEqual(whole.totals);
    expect(merged.beyond).toEqual(whole.beyond);
    expect(merged.left).toEqual([]);
    expect(merged.created.length).toBe(parts.reduce((sum, { created }) => sum + created.length, 0));
    for (const failure of merged.requirements.flatMap(({ failures }) => failures)) {
      if (failure.exchange === undefined) continue;
      expect(failure.curl).toContain(merged.exchanges[failure.exchange]?.request.url);
    }
  });
});

/**
 * Returns reports with the same fingerprint of the plan. The fingerprints differ because each fake service has another
 * URL.
 */
function samePlan(reports: readonly Report[]): Report[] {
  return reports.map((report) =>
    report.shard === undefined ? report : { ...report, shard: { ...report.shard, plan: 'p' } },
  );
}

describe('merging refuses', () => {
  const only = ['AUTH-01', 'V3-GET-02'];

  it('what does not belong together', async () => {
    const [first, second] = samePlan(await judgeShards(2, [], { only, spend: 'none' }));
    if (first?.shard === undefined || second?.shard === undefined) throw new Error('two shards are expected');
    const { shard: _shard, ...whole } = second;
    const cases: [Report[], string][] = [
      [[first], 'no shard 2 of 2'],
      [[first, second, second], 'shard 2 of 2 twice'],
      [[first, whole], 'a report without `shard`'],
      [[first, { ...second, seed: 2 }], 'a different seed: 1, 2'],
      [[first, { ...second, shard: { ...second.shard, plan: 'q' } }], 'a different plan: p, q'],
      [[first, { ...second, target: { ...second.target, url: 'http://127.0.0.1:2' } }], 'a different target'],
      [[first, { ...second, shard: { ...second.shard, of: 3 } }], 'a different number of shards'],
    ];
    for (const [reports, text] of cases) expect(() => mergeReports(reports)).toThrow(text);
    expect(mergeReports([second, first]).requirements.map(({ verdict }) => verdict)).toEqual(['pass', 'pass']);
  });
});
