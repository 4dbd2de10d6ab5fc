import { listRequirements } from '#conformance/index.ts';
import { notFaked } from '#conformance/testing/not-faked.ts';

/**
 * Areas by which a mutant of the reference is judged if it does not set `only`: all areas except those in `notFaked`.
 */
export const contractAreas: readonly string[] = [...new Set(listRequirements().map(({ area }) => area))].filter(
  (area) => !notFaked.includes(area),
);

/** Returns the ids of the requirements of one generation whose area is one of `contractAreas`. */
export function contractRows(version: 'v2' | 'v3' | 'v4'): readonly string[] {
  const rows = listRequirements([version]).filter(({ area }) => contractAreas.includes(area));
  return rows.map(({ id }) => id);
}
