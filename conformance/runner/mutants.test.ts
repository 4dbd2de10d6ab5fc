import { describe, expect, it } from 'vitest';
import { checks } from '../areas/index.ts';
import { defaultTarget } from '../core/default-target.ts';
import { findRequirement } from '../core/requirement.ts';
import { notFaked } from '../testing/not-faked.ts';
import { failingIds, judgeFake } from '../testing/judge-fake.ts';
import { stubRows } from '../testing/judge-with-stub.ts';
import { mutants } from '../testing/mutants.ts';

/** True if all mutants run (`npm run teeth`); `npm test` runs a sample of them. */
const isWhole = process.env['SVC_MUTANTS'] === 'all';

const checkedIds = checks.map(({ id }): string => id);
const isFaked = (id: string): boolean => ![id, findRequirement(id)?.area ?? ''].some((one) => notFaked.includes(one));

describe('the suite finds fault with', () => {
  it('nothing in a service that keeps the contract, and judges every check there', async () => {
    const report = await judgeFake({ tasks: { country: 'Open {url}' }, options: { maxDispatches: 43 } });
    expect(failingIds(report)).toEqual([]);
    const unjudged = report.requirements.filter(
      // Rows that need a provider stub are tested in provider-stub/provider-rows.test.ts.
      ({ id, verdict }) => checkedIds.includes(id) && !stubRows.includes(id) && verdict !== 'pass',
    );
    expect(unjudged.map(({ id }) => id).filter((id) => isFaked(id))).toEqual([]);
    expect(report.left).toEqual([]);
  });

  it.each([
    'live page redirects to its viewer',
    'default country is shown with a browser',
    'live page redirects with a cookie',
    'output of a failed task says why',
    'schema belongs to a task',
    'fetch with a query is refused',
    'task ends before a follow-up',
  ] as const)('nothing where the contract leaves a choice: %s', async (habit) => {
    const report = await judgeFake({ habits: [habit] });
    expect(failingIds(report)).toEqual([]);
    expect(report.requirements.find(({ id }) => id === 'V3-SESSION-24')?.verdict).toBe('pass');
  });

  it('nothing in a long outcome', async () => {
    const tasks = { succeed: defaultTarget.tasks.succeed };
    const report = await judgeFake({ tasks, options: { only: ['SVC-01'] } });
    expect(report.requirements.map(({ verdict }) => verdict)).toEqual(['pass']);
  });

  it.each(mutants.filter((_mutant, index) => isWhole || index % 18 === 0))('$name', async (mutant) => {
    const failing = failingIds(await judgeFake(mutant)).filter((id) => !mutant.mayAlso.includes(id));
    expect(failing.toSorted()).toEqual(mutant.fails.toSorted());
  });

  it('a mutant for every check', () => {
    const killed = new Set(mutants.flatMap(({ fails }) => fails));
    expect(checkedIds.filter((id) => !killed.has(id) && !stubRows.includes(id) && isFaked(id))).toEqual([]);
  });
});
