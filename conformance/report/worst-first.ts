import type { ReportRow, Verdict } from '../core/report.ts';

/** Verdicts with a finding, the worst first. */
const faults = ['violation', 'error', 'warning', 'note'] as const satisfies readonly Verdict[];

/** Returns the rows with findings, the worst first; within a verdict by the number of failed cells, then by area. */
export function worstFirst(rows: readonly ReportRow[]): ReportRow[] {
  const rank = ({ verdict }: ReportRow): number => faults.findIndex((fault) => fault === verdict);
  return rows
    .filter((row) => rank(row) !== -1)
    .toSorted(
      (left, right) =>
        rank(left) - rank(right) ||
        right.cells.failed - left.cells.failed ||
        (left.area < right.area ? -1 : left.area > right.area ? 1 : 0),
    );
}
