import { type SpendLevel, withinSpend } from '../core/spend.ts';
import type { Target } from '../core/target.ts';
import type { PlannedRow } from './plan.ts';

/**
 * Groups rows into phases. Free rows come first, because refusals need an unchanged list of sessions. Storage-only rows
 * follow, so that they do not delay rows with deadlines. Rows that read whole lists run after all creations. Rows over
 * all exchanges come last; those that drive a scenario of their own come before those that only read the recording.
 */
export function groupByPhase(rows: readonly PlannedRow[], target: Target): PlannedRow[][] {
  const active = rows.filter((row) => row.skip === undefined && row.check !== undefined);
  const late = active.filter((row) => row.check?.phase === 'last');
  const quiet = active.filter((row) => row.check?.phase === 'quiet');
  const early = active.filter((row) => row.check?.phase === 'normal');
  const clocked = early.filter((row) => row.check?.needs(target).some((item) => item.movesClock));
  const within = (spend: SpendLevel): PlannedRow[] =>
    early.filter(
      (row) => !clocked.includes(row) && row.check?.needs(target).every((item) => withinSpend(item.spend, spend)),
    );
  const free = within('none');
  const stored = within('storage').filter((row) => !free.includes(row));
  const others = early.filter((row) => ![...free, ...stored, ...clocked].includes(row));
  const driving = late.filter((row) => (row.check?.needs(target) ?? []).length > 0);
  const reading = late.filter((row) => !driving.includes(row));
  return [free, stored, others, clocked, quiet, driving, reading];
}
