import { listRequirements } from '#conformance/index.ts';
import { notFaked } from '#conformance/testing/not-faked.ts';

/** The areas that every broken server is judged by; what goes beyond the contract has mutants of its own, which name it. */
export const contractAreas: readonly string[] = [...new Set(listRequirements().map(({ area }) => area))].filter(
  (area) => !notFaked.includes(area),
);

/** The rows of these areas that speak of one generation. */
export function contractRows(version: 'v2' | 'v3' | 'v4'): readonly string[] {
  const rows = listRequirements([version]).filter(({ area }) => contractAreas.includes(area));
  return rows.map(({ id }) => id);
}
