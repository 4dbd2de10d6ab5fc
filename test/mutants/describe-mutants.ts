import { describe, expect, it } from 'vitest';
import { type RunOptions, listRequirements } from '#conformance/index.ts';
import type { Mutant } from './mutant.ts';
import { judge } from './run-mutant.ts';

const timeoutMs = 60_000;

/** `npm test` judges every 24th mutant of each table, beginning with the first; `npm run teeth` judges all. */
const isWhole = process.env['SVC_MUTANTS'] === 'all';

/**
 * Returns an option that restricts a run to the area of the target. Returns no options in `npm run teeth`, for a mutant
 * with `only`, and for another server than the reference.
 */
export function narrowed({ server, target, only }: Mutant): Pick<RunOptions, 'only'> {
  if (isWhole || only !== undefined || server !== 'reference') return {};
  return { only: listRequirements().flatMap(({ id, area }) => (id === target ? [area] : [])) };
}

/**
 * Defines a test for each mutant that is judged. The failing ids must contain `target` and otherwise only ids of
 * `mayAlso`; the suite must have no errors.
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
