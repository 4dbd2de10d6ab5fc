import { describe, expect, it } from 'vitest';
import { allMutants } from './all-mutants.ts';
import { judge } from './run-mutant.ts';

describe('good servers', () => {
  it.each(['reference', 'mock'] as const)(
    'the %s is found without fault, with nothing left',
    { timeout: 60_000 },
    async (server) => {
      const { report, failing, errors } = await judge({ server });
      expect([...failing, ...errors]).toEqual([]);
      expect(report.left).toEqual([]);
      expect(report.totals.passed).toBeGreaterThan(80);
    },
  );

  it('every mutant has an id of its own, and there are enough of them', () => {
    expect(new Set(allMutants.map((mutant) => mutant.id)).size).toBe(allMutants.length);
    expect(allMutants.length).toBeGreaterThanOrEqual(100);
  });
});
