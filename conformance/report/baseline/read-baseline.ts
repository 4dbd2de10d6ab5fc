import { createValidators } from '#generated/validators/baseline.ts';
import { type FileProblem, type FileUse, parseYamlFile, schemaProblem } from '../../core/data-file.ts';
import { fileValidator } from '../../core/file-validator.ts';
import { registry } from '../../core/requirement.ts';
import { baselineSchema } from './baseline-schema.ts';
import { type Baseline, type BaselineEntry, entryName } from './baseline.ts';

/** Source of a baseline. */
export interface BaselineSource {
  text: string;
  /** Name of the file, for messages and the report. */
  name: string;
}

/** Description of a baseline file, for messages. */
export const baselineUse: FileUse = {
  expected: 'entries with id, reason, expires (YYYY-MM-DD), and cell or link where they are wanted',
  next: 'correct the file; ids are those of `svc list`, cells those of a report',
};

/** Parses known failures. Throws SuiteError `usage` with every problem of the file. */
export function readBaseline({ text, name }: BaselineSource): Baseline {
  const file = parseYamlFile(text, { ...baselineUse, name });
  const fits = fileValidator(createValidators);
  if (!fits(file.value)) throw file.fault((fits.errors ?? []).map((error) => schemaProblem(error, memberNames)));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has validated the value
  const { entries } = file.value as { entries: BaselineEntry[] };
  const problems = [...entries.flatMap((entry, index) => entryProblems(entry, index)), ...clashes(entries)];
  if (problems.length > 0) throw file.fault(problems);
  return { file: name, entries };
}

const memberNames = ['entries', ...Object.keys(baselineSchema.properties.entries.items.properties)];

/** Returns true for a missing reason: empty, or the placeholder text. */
export function isPlaceholder(reason: string): boolean {
  return /^(?:todo|tbd|fixme|xxx)?$/i.test(reason.replaceAll(/\W/g, ''));
}

function entryProblems(entry: BaselineEntry, index: number): FileProblem[] {
  const path = ['entries', index];
  const unwritten = {
    path: [...path, 'reason'],
    text: `${entryName(entry)} has no written reason ("${entry.reason}")`,
  };
  return [...idProblems(entry.id, [...path, 'id']), ...(isPlaceholder(entry.reason) ? [unwritten] : [])];
}

function idProblems(id: string, path: FileProblem['path']): FileProblem[] {
  if (registry.some((row) => row.id === id)) return [];
  const laws = registry.filter((row) => row.covers?.[id] !== undefined).map((row) => row.id);
  if (laws.length > 0)
    return [{ path, text: `${id} is a row of a law (write the id ${laws.join(' or ')} and one of its cells)` }];
  const known = registry.map((row) => row.id);
  return [{ path, text: `the unknown id "${id}"`, unknown: { word: id, known } }];
}

// Two entries for the same row or cell could contradict each other, and an entry for a whole row would hide its cells.
function clashes(entries: readonly BaselineEntry[]): FileProblem[] {
  const byId = Map.groupBy(entries, ({ id }) => id);
  return [...byId].flatMap(([id, group]) => {
    const names = group.map((entry) => entryName(entry));
    const twice = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
    const isMixed = names.includes(id) && names.some((name) => name !== id);
    const last = ['entries', entries.findLastIndex((entry) => entry.id === id)];
    return [
      ...twice.map((name) => ({ path: last, text: `${name} stands twice` })),
      ...(isMixed ? [{ path: last, text: `${id} stands as a whole and by cell` }] : []),
    ];
  });
}
