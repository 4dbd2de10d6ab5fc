import { createValidators } from '#generated/validators/baseline.ts';
import { type FileProblem, type FileUse, parseYamlFile, schemaProblem } from '../../core/data-file.ts';
import { fileValidator } from '../../core/file-validator.ts';
import { registry } from '../../core/requirement.ts';
import type { Report, ReportRow, Acceptance, BaselineReport, Failure } from '../../core/report.ts';
import { lazyModules } from '../../core/lazy-modules.ts';
import { nearestWord } from '../../core/nearest-word.ts';
import { compareTexts } from '../../core/text.ts';

/** A failure that is accepted for a time: of a whole requirement, or of one of its cells. */
export interface BaselineEntry {
  /** Id of a row of the registry. */
  id: string;
  /** Key of one cell in a report; absent for the whole row. */
  cell?: string;
  /** Reason of the acceptance; never empty. */
  reason: string;
  /** URL of the fix or its issue. */
  link?: string;
  /** Last day of the acceptance, `YYYY-MM-DD`, in UTC. */
  expires: string;
}

/** Known failures of one target. */
export interface Baseline {
  /** Name of the baseline file. */
  file: string;
  entries: readonly BaselineEntry[];
}

/** Returns "ID" or "ID [cell]". */
export function entryName({ id, cell }: Pick<BaselineEntry, 'id' | 'cell'>): string {
  return cell === undefined ? id : `${id} [${cell}]`;
}

/** JSON Schema of a baseline file. Unknown members are errors: a typo must not accept or forget a failure. */
export const baselineSchema = {
  type: 'object',
  required: ['entries'],
  additionalProperties: false,
  properties: {
    entries: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'reason', 'expires'],
        additionalProperties: false,
        properties: {
          id: { type: 'string', minLength: 1 },
          cell: { type: 'string', minLength: 1 },
          reason: { type: 'string', minLength: 1 },
          link: { type: 'string', minLength: 1 },
          expires: { type: 'string', format: 'date' },
        },
      },
    },
  },
} as const;

/** Source of a baseline. */
interface BaselineSource {
  text: string;
  /** Name of the file, for messages and the report. */
  name: string;
}

/** Description of a baseline file, for messages. */
export const baselineUse: FileUse = {
  expected: 'entries with id, reason and expires (YYYY-MM-DD), and optionally cell and link',
  next: 'correct the file; `svc list` shows the ids, and a report the cells',
};

/**
 * Parses the text of a baseline file. Throws SuiteError `usage`. If the form of the file is wrong, the error names
 * every problem of the form. Otherwise it names every wrong id, every missing reason, and every entry that repeats or
 * overlaps another.
 */
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

/** Returns true for a missing reason: empty, or a placeholder (`todo`, `tbd`, `fixme`, `xxx` in any case). */
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
 * Returns the entries for the violations of a report, sorted by id and cell. Existing entries keep their reason and
 * link; an entry whose last day has passed gets the new last day. An entry stays if this run does not show whether its
 * failure still exists. Entries whose failure is gone, and entries for unknown cells, are removed.
 */
export function updateBaseline(report: Report, old: Baseline, update: BaselineUpdate): Baseline {
  const byId = new Map(report.requirements.map((row) => [row.id, row]));
  const kept = old.entries.flatMap((entry): BaselineEntry[] => {
    const { state } = weighEntry(entry, byId.get(entry.id), update.today);
    if (state === 'expired') return [{ ...entry, expires: update.expires }];
    return state === 'used' || state === 'notJudged' ? [entry] : [];
  });
  const rows = report.requirements.filter(({ verdict }) => verdict === 'violation');
  const failing = new Map(rows.map((row) => [row.id, updateEntries(row, kept, update)]));
  const others = kept.filter(({ id }) => !failing.has(id));
  return { file: old.file, entries: [...others, ...[...failing.values()].flat()].toSorted(byName) };
}

// Entries are per cell where possible, so that a later failure of another cell is reported.
function updateEntries(row: ReportRow, kept: readonly BaselineEntry[], update: BaselineUpdate): BaselineEntry[] {
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
  return compareTexts(entryName(left), entryName(right));
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

/**
 * Marks every accepted failure in a report. Verdicts and totals do not change; `today` is a day of the form YYYY-MM-DD.
 */
export function applyBaseline(report: Report, baseline: Baseline, today: string): Report {
  const byId = new Map(report.requirements.map((row) => [row.id, row]));
  const weighed = baseline.entries.map((entry) => ({ entry, found: weighEntry(entry, byId.get(entry.id), today) }));
  const used = weighed.filter(({ found }) => found.state === 'used').map(({ entry }) => entry);
  const requirements = report.requirements.map((row) =>
    acceptIn(
      row,
      used.filter(({ id }) => id === row.id),
    ),
  );
  const accepted = requirements.filter((row) => row.accepted !== undefined).map(({ id }) => id);
  return { ...report, requirements, baseline: { file: baseline.file, accepted, ...groupByState(weighed) } };
}

interface Weighed {
  entry: BaselineEntry;
  found: EntryState;
}

function groupByState(weighed: readonly Weighed[]): Omit<BaselineReport, 'file' | 'accepted'> {
  const named = (state: EntryState['state']): { name: string; why: string }[] =>
    weighed
      .filter(({ found }) => found.state === state)
      .map(({ entry, found }) => ({ name: entryName(entry), why: explainState(entry, found) }));
  return {
    stale: named('stale'),
    expired: named('expired'),
    notJudged: named('notJudged'),
    unknownCells: named('unknownCell'),
  };
}

function explainState(entry: BaselineEntry, found: EntryState): string {
  if (found.state === 'stale' || found.state === 'notJudged') return found.why;
  if (found.state === 'expired') return `it was accepted until ${entry.expires}`;
  const meant = found.state === 'unknownCell' ? found.meant : undefined;
  return meant === undefined ? 'the row has no such cell' : `did you mean "${meant}"?`;
}

function acceptIn(row: ReportRow, entries: readonly BaselineEntry[]): ReportRow {
  if (entries.length === 0) return row;
  const failures = row.failures.map((failure): Failure => {
    const entry = entries.find(({ cell }) => cell === undefined || cell === failure.cell);
    return entry === undefined ? failure : { ...failure, accepted: acceptance([entry]) };
  });
  const whole = failures.every(({ accepted }) => accepted !== undefined);
  return { ...row, failures, ...(whole ? { accepted: acceptance(entries) } : {}) };
}

// For several cells, the earliest expiry is shown.
function acceptance(entries: readonly BaselineEntry[]): Acceptance {
  const reason = [...new Set(entries.map((entry) => entry.reason))].join('; ');
  const link = entries.find((entry) => entry.link !== undefined)?.link;
  const [expires = ''] = entries.map((entry) => entry.expires).toSorted();
  return { reason, ...(link === undefined ? {} : { link }), expires };
}

/** State of a baseline entry in one run. */
type EntryState =
  /** The entry accepts a failure. */
  | { state: 'used' }
  /** The failure still exists after the last day of the entry. */
  | { state: 'expired' }
  /** The accepted row or cell has passed. */
  | { state: 'stale'; why: string }
  /** This run cannot evaluate the entry. */
  | { state: 'notJudged'; why: string }
  /** The row has no such cell. */
  | { state: 'unknownCell'; meant: string | undefined };

/** Returns the state of a baseline entry, judged by the report row with its id. `today` has the form YYYY-MM-DD. */
function weighEntry(entry: BaselineEntry, row: ReportRow | undefined, today: string): EntryState {
  if (row === undefined) return { state: 'notJudged', why: 'it is not part of this run' };
  const { verdict, reason = '' } = row;
  if (verdict === 'notRun' || verdict === 'notTestable') return { state: 'notJudged', why: reason };
  if (verdict === 'error') return { state: 'notJudged', why: 'its check ended in a fault of the suite' };
  const hit = row.failures.some((failure) => entry.cell === undefined || failure.cell === entry.cell);
  if (hit) return { state: today > entry.expires ? 'expired' : 'used' };
  return entry.cell === undefined ? wholeRow(row) : oneCell(entry.cell, row);
}

// The seed selects the cells: a passed sample does not prove that the failure is fixed.
function wholeRow({ cells }: ReportRow): EntryState {
  if (cells.judged >= cells.total) return { state: 'stale', why: 'it passes now' };
  return { state: 'notJudged', why: `${cells.judged} of ${cells.total} cells were judged, and they passed` };
}

function oneCell(cell: string, { cells, judgedCells }: ReportRow): EntryState {
  const known = judgedCells?.map((item) => item.cell);
  if (known?.includes(cell) === true) return { state: 'stale', why: 'it passes now' };
  if (cells.judged < cells.total) return { state: 'notJudged', why: 'this run has not judged the cell' };
  if (known === undefined) return { state: 'stale', why: 'every cell that still fails is another' };
  return { state: 'unknownCell', meant: nearestWord(cell, known) };
}
