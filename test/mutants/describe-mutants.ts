import { describe, expect, it } from 'vitest';
import type { Mutant } from './mutant.ts';
import { judge } from './run-mutant.ts';

const timeoutMs = 60_000;

/** One test per mutant: the failing ids contain its target and lie within what it named beforehand, and the suite is sound. */
export function describeMutants(title: string, mutants: readonly Mutant[]): void {
  // oxlint-disable-next-line vitest/valid-title -- the table's own title
  describe(title, () => {
    it.each(mutants)('$id is caught by $target: $breaks', { timeout: timeoutMs }, async (mutant) => {
      const { failing, errors } = await judge(mutant);
      expect(errors).toEqual([]);
      expect(failing).toContain(mutant.target);
      expect(failing.filter((id) => id !== mutant.target && !mutant.mayAlso?.some((named) => named === id))).toEqual(
        [],
      );
    });
  });
}
