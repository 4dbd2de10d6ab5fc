import { checks } from '../areas/index.ts';
import { defaultTarget } from '../core/default-target.ts';
import { type Requirement, contractLines, findRequirement, registry, sourceText } from '../core/requirement.ts';
import { SuiteError } from '../core/suite-error.ts';
import { selectRequirements } from './select.ts';

/** A row of the registry and its treatment. */
export interface ListedRequirement {
  id: string;
  area: string;
  level: Requirement['level'];
  text: string;
  /** Words of the contract that state the requirement; absent for a row from another source. */
  quote?: string;
  /** `full`: beyond the contract. */
  profile: 'documented' | 'full';
  /** `check`, or `excluded: ` and the class of its exclusion. */
  treatment: string;
  /** Number of table rows that a law covers. */
  covers: number;
}

/** Lists the rows of the registry that `only` selects, as in a run. Throws SuiteError `usage` for an unknown word. */
export function listRequirements(only?: readonly string[]): ListedRequirement[] {
  return selectRequirements(only).map(({ id, area, level, text, quote, profile = 'documented', excluded, covers }) => ({
    id,
    area,
    level,
    text,
    ...(quote === undefined ? {} : { quote }),
    profile,
    treatment: excluded === undefined ? 'check' : `excluded: ${excluded.reason}`,
    covers: Object.keys(covers ?? {}).length,
  }));
}

/**
 * Returns a description of one id as text. Throws SuiteError `usage` for an unknown id, and for an area or generation.
 */
export function explain(id: string): string {
  const row = findRequirement(id);
  if (row === undefined) throw severalRows(id);
  const table = row.covers?.[id];
  const lines = [
    `${row.level} ${row.id}  (${row.area}, ${row.versions.join(' ')})`,
    row.text,
    ...contractLines(row),
    `Source: ${sourceText(row)}`,
    ...(row.profile === 'full' ? ['Beyond the contract: judged with --profile full.'] : []),
    ...(row.id === id || table === undefined
      ? []
      : [`${id} is the row "${table}" of a law; found in: ${listLaws(id)}`]),
    ...(row.formerly?.includes(id) === true ? [`${id} is retired; taken over by: ${listHeirs(id)}`] : []),
    ...(row.note === undefined ? [] : [`Note: ${row.note}`]),
    ...treatment(row),
    ...Object.entries(row.covers ?? {}).map(([covered, name]) => `  ${covered}  ${name}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Creates the error for a word that selects several rows, an area or a generation. Throws for an unknown word. */
function severalRows(word: string): SuiteError {
  return new SuiteError('usage', {
    found: `"${word}", which names ${selectRequirements([word]).length} requirements`,
    expected: 'the id of one, such as V3-GET-02',
    next: `see \`svc list ${word}\``,
  });
}

function listHeirs(id: string): string {
  const heirs = registry.filter((row) => row.formerly?.includes(id));
  return heirs.map((row) => row.id).join(', ');
}

function listLaws(id: string): string {
  return registry
    .filter((row) => row.covers?.[id] !== undefined)
    .map((row) => row.id)
    .join(', ');
}

function treatment(row: Requirement): string[] {
  if (row.excluded !== undefined) return [`Not checked, ${row.excluded.reason}: ${row.excluded.detail}`];
  const needs = checks.find((check) => check.id === row.id)?.needs({ ...defaultTarget, url: '' }) ?? [];
  if (needs.length === 0) return ['Checked with requests of its own that cost nothing.'];
  return [
    'Checked with these scenarios:',
    ...needs.map(({ name, creates, spend }) => `  ${name} (--spend ${spend}) creates ${creates}`),
  ];
}
