import { type LedgerEntry, resourceKinds } from '../core/ledger.ts';
import type { ReportRow, Verdict } from '../core/report.ts';
import { compareTexts } from '../core/text.ts';

/** Name and symbol of a verdict. The name keeps the report readable without the symbol. */
export const verdictWords: Readonly<Record<Verdict, { word: string; plural: string; sign: string }>> = {
  violation: { word: 'violation', plural: 'violated', sign: '✕' },
  error: { word: 'error', plural: 'errors', sign: '!' },
  warning: { word: 'warning', plural: 'warnings', sign: '△' },
  note: { word: 'note', plural: 'notes', sign: 'i' },
  pass: { word: 'pass', plural: 'passed', sign: '✓' },
  notTestable: { word: 'not testable', plural: 'not testable', sign: '–' },
  notRun: { word: 'not run', plural: 'not run', sign: '·' },
};

/** Every verdict, the worst first. */
export const verdictOrder: readonly Verdict[] = [
  'violation',
  'error',
  'warning',
  'note',
  'pass',
  'notTestable',
  'notRun',
];

/** Returns true for a row whose verdict is a finding: a violation, error, warning or note. */
export function isFinding({ verdict }: ReportRow): boolean {
  return ['violation', 'error', 'warning', 'note'].includes(verdict);
}

/** Returns a number with its noun: `1 request`, `2 requests`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** Returns the number of created resources with their kinds: `3 (2 sessions, 1 browser)`; `0` without any. */
export function createdText(created: readonly LedgerEntry[]): string {
  if (created.length === 0) return '0';
  const byKind = Map.groupBy(created, ({ kind }) => kind);
  const kinds = resourceKinds.flatMap((kind) => {
    const count = byKind.get(kind)?.length ?? 0;
    return count === 0 ? [] : [counted(count, kind)];
  });
  return `${created.length} (${kinds.join(', ')})`;
}

/** Verdicts with a finding, the worst first. */
const faults = ['violation', 'error', 'warning', 'note'] as const satisfies readonly Verdict[];

/**
 * Returns the rows with findings. Rows with the worst verdict come first; rows with the same verdict are ordered by the
 * number of failed cells, the highest first, then by area.
 */
export function worstFirst(rows: readonly ReportRow[]): ReportRow[] {
  const rank = ({ verdict }: ReportRow): number => faults.findIndex((fault) => fault === verdict);
  return rows
    .filter((row) => rank(row) !== -1)
    .toSorted(
      (left, right) =>
        rank(left) - rank(right) || right.cells.failed - left.cells.failed || compareTexts(left.area, right.area),
    );
}

/** Returns one line that describes a remaining resource. */
export function leftText({ kind, generation, id, createdBy, state }: LedgerEntry): string {
  const what = `${generation.toUpperCase()} ${kind} ${id ?? 'of unknown id'}`;
  if (id !== undefined) return `${what}, which could not be ended`;
  if (state === 'live') return `${what}: the answer of ${createdBy} has no id where the target file says`;
  return `${what}, which may exist: ${createdBy} gave no answer, or a server error`;
}
