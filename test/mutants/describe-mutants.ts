import { describe, expect, it } from 'vitest';
import { type RunOptions, listRequirements } from '#conformance/index.ts';
import type { Mutant } from './mutant.ts';
import { judge } from './run-mutant.ts';

const timeoutMs = 60_000;

/** `npm test` judges every 24th mutant of each table, beginning with the first; `npm run teeth` judges all. */
const isWhole = process.env['SVC_MUTANTS'] === 'all';

/**
 * Returns the area of the target as rows to judge, for a mutant of the reference without `only` in `npm test`.
 * Otherwise returns no options.
 */
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
