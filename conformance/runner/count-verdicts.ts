import type { Report, ReportRow, Totals } from '../core/report.ts';

/** Returns the verdict totals of the rows of the contract and of the rows beyond it. */
export function countVerdicts(rows: readonly ReportRow[]): Pick<Report, 'totals' | 'beyond'> {
  const of = (profile: ReportRow['profile']): Totals => count(rows.filter((row) => row.profile === profile));
  return { totals: of('documented'), beyond: of('full') };
}

function count(rows: readonly ReportRow[]): Totals {
  const withVerdict = (verdict: ReportRow['verdict']): number => rows.filter((row) => row.verdict === verdict).length;
  return {
    passed: withVerdict('pass'),
    violations: withVerdict('violation'),
    warnings: withVerdict('warning'),
    notes: withVerdict('note'),
    notTestable: withVerdict('notTestable'),
    notRun: withVerdict('notRun'),
    errors: withVerdict('error'),
  };
}
