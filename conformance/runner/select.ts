import { SuiteError } from '../core/suite-error.ts';
import { nearestWord } from '../core/nearest-word.ts';
import { generations } from '../core/target.ts';
import { type Requirement, registry } from '../core/requirement.ts';

/**
 * Returns the rows selected by ids, covered ids, retired ids, areas and generations; all rows without a list. Throws
 * SuiteError `usage` for an unknown word.
 */
export function selectRequirements(only: readonly string[] | undefined): readonly Requirement[] {
  if (only === undefined) return registry;
  const unknown = only.find((word) => !registry.some((row) => names(row, word)));
  if (unknown !== undefined) throw unknownWord(unknown);
  return registry.filter((row) => only.some((word) => names(row, word)));
}

/** Returns every word that selects rows: ids, covered ids, retired ids, areas, generations. */
function selectableWords(): string[] {
  const areas = new Set(registry.map((row) => row.area));
  return [
    ...registry.flatMap((row) => [row.id, ...Object.keys(row.covers ?? {}), ...(row.formerly ?? [])]),
    ...areas,
    ...generations,
  ];
}

function unknownWord(word: string): SuiteError {
  const meant = nearestWord(word, selectableWords());
  return new SuiteError('usage', {
    found: `"${word}", which names no requirement, area or generation`,
    expected: 'an id such as V3-GET-02, an area such as errors, or v2, v3, v4',
    next: meant === undefined ? 'see `svc list`' : `try "${meant}", or see \`svc list\``,
  });
}

function names(row: Requirement, word: string): boolean {
  if (row.id === word || row.area === word || row.covers?.[word] !== undefined) return true;
  if (row.formerly?.includes(word) === true) return true;
  return row.versions.some((version) => version === word);
}
