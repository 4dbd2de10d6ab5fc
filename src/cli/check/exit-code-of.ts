import type { Report } from '#conformance/index.ts';
import { exitCodes } from '../exit-codes.ts';

/** The exit code of a report; a fault of the suite comes before an early end, and that before a violation. */
export function exitCodeOf({ totals, ended, left }: Report, strict: boolean): number {
  if (totals.errors > 0) return exitCodes.internal;
  if (['interrupted', 'timeLimit', 'costLimit'].includes(ended)) return exitCodes.interrupted;
  if (totals.violations > 0 || left.length > 0) return exitCodes.violation;
  return strict && totals.notTestable + totals.notRun > 0 ? exitCodes.violation : exitCodes.ok;
}
