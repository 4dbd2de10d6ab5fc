import type { Report, ReportRow } from '../../core/report.ts';
import { type Baseline, type BaselineEntry, entryName } from './baseline.ts';
import { weighEntry } from './weigh-entry.ts';
import { lazyModules } from '../../core/lazy-modules.ts';

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
