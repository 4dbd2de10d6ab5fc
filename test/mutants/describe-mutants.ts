import { describe, expect, it } from 'vitest';
import { type RunOptions, listRequirements } from '#conformance/index.ts';
import type { Mutant } from './mutant.ts';
import { judge } from './run-mutant.ts';

const timeoutMs = 60_000;

/** `npm test` judges the first of 24 mutants of each table, `npm run teeth` all of them. */
const isWhole = process.env['SVC_MUTANTS'] === 'all';

/** Returns the rows to judge: in `npm test` those of the target's area, in `npm run teeth` every row that may fail. */
export function narrowed({ server, target, only }: Mutant): Pick<RunOptions, 'only'> {
  if (isWhole || only !== undefined || server !== 'reference') return {};
  return { only: listRequirements().flatMap(({ id, area }) => (id === target ? [area] : [])) };
}

/**
 * Defines one test per mutant: the failing ids include its target and are among the predicted ones, and the suite has
 * no errors.
 */
export function describeMutants(title: string, mutants: readonly Mutant[]): void {
  // oxlint-disable-next-line vitest/valid-title -- the table's own title
  describe(title, () => {
    const taken = mutants.filter((_mutant, index) => isWhole || index % 24 === 0);
    it.each(taken)('$id is caught by $target: $breaks', { timeout: timeoutMs }, async (mutant) => {
      const { failing, errors } = await judge(mutant, narrowed(mutant));
      expect(errors).toEqual([]);
      expect(failing).toContain(mutant.target);
      expect(failing.filter((id) => id !== mutant.target && !mutant.mayAlso?.some((named) => named === id))).toEqual(
        [],
      );
    });
  });
}
