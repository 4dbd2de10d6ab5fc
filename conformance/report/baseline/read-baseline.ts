import { createValidators } from '#generated/validators/baseline.ts';
import { type FileProblem, type FileUse, parseYamlFile, schemaProblem } from '../../core/data-file.ts';
import { fileValidator } from '../../core/file-validator.ts';
import { registry } from '../../core/requirement.ts';
import { baselineSchema, type Baseline, type BaselineEntry, entryName } from './baseline.ts';
import type { Report, ReportRow } from '../../core/report.ts';
import { weighEntry } from './apply-baseline.ts';
import { lazyModules } from '../../core/lazy-modules.ts';

/** Source of a baseline. */
interface BaselineSource {
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

/** Values for an update of a baseline. */
export interface BaselineUpdate {
  /** Reason of every new entry. */
  reason: string;
  /** Last day of every new entry, and of every expired entry whose failure still exists. */
  expires: string;
  /** Day of the update, YYYY-MM-DD. */
  today: string;
}

/**
 * Returns the entries for the violations of a report, sorted by id and cell. Existing entries keep reason and link,
 * stale entries are removed, and entries that this run has not judged stay.
 */
export function updateBaseline(report: Report, old: Baseline, update: BaselineUpdate): Baseline {
  const byId = new Map(report.requirements.map((row) => [row.id, row]));
  const kept = old.entries.flatMap((entry): BaselineEntry[] => {
    const { state } = weighEntry(entry, byId.get(entry.id), update.today);
    if (state === 'expired') return [{ ...entry, expires: update.expires }];
    return state === 'used' || state === 'notJudged' ? [entry] : [];
  });
  const rows = report.requirements.filter(({ verdict }) => verdict === 'violation');
  const failing = new Map(rows.map((row) => [row.id, entriesOf(row, kept, update)]));
  const others = kept.filter(({ id }) => !failing.has(id));
  return { file: old.file, entries: [...others, ...[...failing.values()].flat()].toSorted(byName) };
}

// Entries are per cell where possible, so that a later failure of another cell is reported.
function entriesOf(row: ReportRow, kept: readonly BaselineEntry[], update: BaselineUpdate): BaselineEntry[] {
  const { id, cells, failures } = row;
  const own = kept.filter((entry) => entry.id === id);
  if (own.some(({ cell }) => cell === undefined)) return own;
  const { reason, expires } = update;
  const failing = [...new Set(failures.map(({ cell }) => cell))].filter((cell) => cell !== undefined);
  const everything = own.length === 0 && cells.failed === cells.total;
  if (everything || failures.some(({ cell }) => cell === undefined)) return [{ id, reason, expires }];
  const fresh = failing.filter((cell) => !own.some((entry) => entry.cell === cell));
  return [...own, ...fresh.map((cell): BaselineEntry => ({ id, cell, reason, expires }))];
}

function byName(left: BaselineEntry, right: BaselineEntry): number {
  const [one, other] = [entryName(left), entryName(right)];
  return one < other ? -1 : one > other ? 1 : 0;
}

const heading = `# Known failures that \`svc check --baseline\` accepts until they expire. An entry whose failure is gone fails the run.
# \`--update-baseline\` writes this file again; reasons and links stay, comments do not.
`;

/** Returns the text of a baseline file; parsing it returns the same entries. */
export function renderBaseline({ entries }: Baseline): string {
  const ordered = entries.map(({ id, cell, reason, link, expires }) => ({
    id,
    ...(cell === undefined ? {} : { cell }),
    reason,
    ...(link === undefined ? {} : { link }),
    expires,
  }));
  return heading + lazyModules.yaml().stringify({ entries: ordered }, { lineWidth: 120 });
}
