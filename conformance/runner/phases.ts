import { type SpendLevel, withinSpend } from '../core/spend.ts';
import type { Target } from '../core/target.ts';
import type { PlannedRow } from './plan.ts';

/**
 * What is free comes first, because a list of sessions has to stand still while refusals are sent; then what is only stored,
 * so that it does not slow down what has deadlines. What reads whole lists waits until nothing else makes anything. What
 * judges everything that was seen comes last.
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
  return [free, stored, others, clocked, quiet, late];
}
