import { nearestWord } from '../../core/nearest-word.ts';
import type { ReportRow } from '../../core/report.ts';
import type { BaselineEntry } from './baseline.ts';

/** State of a baseline entry in one run. */
export type EntryState =
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

/** Returns the state of an entry for the row of its id; `today` is a day of the form YYYY-MM-DD. */
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
