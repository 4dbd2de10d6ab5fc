import type { Report, ReportRow } from '../core/report.ts';

/**
 * Returns the parts of a report by which two judgements are compared. Omits parts that differ between runs, such as
 * times and replay tokens.
 */
export function judgedAs(report: Report): JudgedAs {
  const { ended, totals, beyond, exchangeCount, spentUsd, created, left } = report;
  return {
    run: { ended, totals, beyond, exchangeCount, spentUsd, created: created.length, left: left.length },
    rows: report.requirements.map(({ id, verdict, cells, reason, failures }) => ({
      id,
      verdict,
      cells,
      reason,
      failures: failures.map(({ message, cell, counterexample, exchange }) => ({
        message,
        cell,
        counterexample,
        exchange,
      })),
    })),
  };
}

interface JudgedAs {
  run: object;
  rows: (Pick<ReportRow, 'id' | 'verdict' | 'cells'> & { reason: string | undefined; failures: object[] })[];
}
