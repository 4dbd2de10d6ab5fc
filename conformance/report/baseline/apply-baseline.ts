import type { Acceptance, BaselineReport, Failure, Report, ReportRow } from '../../core/report.ts';
import { type Baseline, type BaselineEntry, entryName } from './baseline.ts';
import { nearestWord } from '../../core/nearest-word.ts';

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
  return { ...report, requirements, baseline: { file: baseline.file, accepted, ...namesOf(weighed) } };
}

interface Weighed {
  entry: BaselineEntry;
  found: EntryState;
}

function namesOf(weighed: readonly Weighed[]): Omit<BaselineReport, 'file' | 'accepted'> {
  const named = (state: EntryState['state']): { name: string; why: string }[] =>
    weighed
      .filter(({ found }) => found.state === state)
      .map(({ entry, found }) => ({ name: entryName(entry), why: whyOf(entry, found) }));
  return {
    stale: named('stale'),
    expired: named('expired'),
    notJudged: named('notJudged'),
    unknownCells: named('unknownCell'),
  };
}

function whyOf(entry: BaselineEntry, found: EntryState): string {
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
export function weighEntry(entry: BaselineEntry, row: ReportRow | undefined, today: string): EntryState {
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
