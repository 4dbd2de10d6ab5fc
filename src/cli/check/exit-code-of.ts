import type { Report } from '#conformance/index.ts';
import { exitCodes } from '../exit-codes.ts';

/** The exit code of a report; a fault of the suite comes before an early end, and that before a violation. */
export function exitCodeOf({ totals, beyond, ended, left }: Report, strict: boolean): number {
  if (totals.errors + beyond.errors > 0) return exitCodes.internal;
  if (['interrupted', 'timeLimit', 'costLimit'].includes(ended)) return exitCodes.interrupted;
  if (totals.violations + beyond.violations > 0 || left.length > 0) return exitCodes.violation;
  // Strict speaks of the contract: what goes beyond it may be left out.
  return strict && totals.notTestable + totals.notRun > 0 ? exitCodes.violation : exitCodes.ok;
}
