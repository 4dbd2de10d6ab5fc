import type { Acceptance, BaselineReport, Failure, Report, ReportRow } from '../../core/report.ts';
import { type Baseline, type BaselineEntry, entryName } from './baseline.ts';
import { type EntryState, weighEntry } from './weigh-entry.ts';

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
