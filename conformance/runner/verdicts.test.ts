import { describe, expect, it } from 'vitest';
import { spendLevels, profiles } from '../core/spend.ts';
import { exclusions } from './failure-text.ts';
import { registry } from '../core/requirement.ts';
import { judgeFake } from '../testing/judge-fake.ts';
import { reportInconsistencies } from '../testing/verdict-problems.ts';

const runs = profiles.flatMap((profile) => spendLevels.map((spend) => ({ profile, spend })));

describe('every row of the registry', () => {
  it.each(runs)('has one of seven verdicts, each silent one with its reason: $profile, $spend', async (options) => {
    const report = await judgeFake({ options: { ...options, maxDispatches: 20 } });
    expect(reportInconsistencies(report)).toEqual([]);
  });

  it('has one on a broken service, in a run that only reads, and in one that ends early', async () => {
    const faults = ['no key needed', 'detail is text', 'step count falls', 'no title'] as const;
    const broken = await judgeFake({ faults, options: { maxDispatches: 20 } });
    const reading = await judgeFake({ options: { readOnly: true } });
    const short = await judgeFake({ faults, options: { maxFailures: 1 } });
    expect([broken, reading, short].flatMap((report) => reportInconsistencies(report))).toEqual([]);
    expect(broken.totals.violations).toBeGreaterThan(2);
    expect(short.ended).toBe('maxFailures');
  });

  it('has a reason of the closed list when it has no check', () => {
    const reasons = registry.flatMap(({ excluded }) => (excluded === undefined ? [] : [excluded.reason]));
    expect(reasons.filter((reason) => exclusions[reason] === undefined)).toEqual([]);
  });
});

describe('the law of verdicts', () => {
  it('finds a row without a reason, a wrong sum, and an unknown verdict', async () => {
    const report = await judgeFake({ options: { spend: 'none', profile: 'documented' } });
    const [first, ...others] = report.requirements;
    const rows = first === undefined ? [] : [{ ...first, verdict: 'skipped' as never }, ...others];
    const problems = reportInconsistencies({
      ...report,
      requirements: rows.map(({ reason: _reason, ...row }) => row),
      totals: { ...report.totals, passed: report.totals.passed + 1 },
    });
    expect(problems).toContainEqual(expect.stringContaining('which is no verdict'));
    expect(problems).toContainEqual(expect.stringMatching(/notRun without a reason/));
    expect(problems).toContainEqual(expect.stringMatching(/the totals sum to/));
  });
});
