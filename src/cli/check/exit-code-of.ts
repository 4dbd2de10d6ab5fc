import type { Report } from '#conformance/index.ts';
import { exitCodes } from '../exit-codes.ts';

/** The exit code of a report; a fault of the suite comes before an early end, and that before wrong usage and a violation. */
export function exitCodeOf(report: Report, strict: boolean): number {
  const { totals, beyond, ended } = report;
  if (totals.errors + beyond.errors > 0) return exitCodes.internal;
  if (['interrupted', 'timeLimit', 'costLimit'].includes(ended)) return exitCodes.interrupted;
  // What a cell is called is known only after the run.
  if ((report.baseline?.unknownCells ?? []).length > 0) return exitCodes.usage;
  if (failed(report)) return exitCodes.violation;
  // Strict speaks of the contract: what goes beyond it may be left out.
  return strict && totals.notTestable + totals.notRun > 0 ? exitCodes.violation : exitCodes.ok;
}

function failed(report: Report): boolean {
  const { left, baseline, certify = [] } = report;
  const stale = baseline?.stale ?? [];
  return violations(report) + left.length + stale.length > 0 || certify.some(({ certified }) => !certified);
}

// The totals count a known failure too: it is a violation all the same.
function violations({ totals, beyond, requirements }: Report): number {
  const known = requirements.filter(({ verdict, accepted }) => verdict === 'violation' && accepted !== undefined);
  return totals.violations + beyond.violations - known.length;
}
