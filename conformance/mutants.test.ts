import { describe, expect, it } from 'vitest';
import { checks } from './checks/index.ts';
import { failingIds, judgeFake } from './testing/judge-fake.ts';
import { mutants } from './testing/mutants.ts';

describe('the suite finds fault with', () => {
  it('nothing in a service that keeps the contract, and judges every check there', async () => {
    const report = await judgeFake({});
    expect(failingIds(report)).toEqual([]);
    expect(report.totals.passed + report.beyond.passed).toBe(checks.length);
    expect(report.left).toEqual([]);
  });

  it.each(mutants)('$name', async (mutant) => {
    expect(failingIds(await judgeFake(mutant)).toSorted()).toEqual(mutant.fails.toSorted());
  });

  it('a mutant for every check', () => {
    const killed = new Set(mutants.flatMap(({ fails }) => fails));
    expect(checks.map(({ id }): string => id).filter((id) => !killed.has(id))).toEqual([]);
  });
});
