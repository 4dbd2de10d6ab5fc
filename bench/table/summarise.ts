import type { Rounds, Unmeasured } from './bench-row.ts';
import { type FigureId, type Goal, getGoal } from './goals.ts';
import { getMedian } from '../../tools/measure/evidence.ts';

/** A line of the table: one figure with its results. */
export interface Line {
  readonly id: FigureId;
  readonly goal: Goal;
  /**
   * Median of the measurements of this project; null without measurements. `anchor` is the median of the measurements
   * of the anchor.
   */
  readonly ours: number | null;
  readonly anchor: number | null;
  /**
   * Median, minimum and maximum over the rounds of the value that is compared with the target; null without
   * measurements.
   */
  readonly value: Spread | null;
  /** Whether the value meets the target; null without a target or measurements. */
  readonly isMet: boolean | null;
  /** Reason why the figure was not measured, or a remark for the reader. */
  readonly note: string | null;
}

/** A median with minimum and maximum. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** Returns the line of the table for a figure: its medians, and whether the compared value meets the target. */
export function summarise(measured: Rounds | Unmeasured): Line {
  const { id } = measured;
  const goal = getGoal(id);
  if ('unmeasured' in measured)
    return { id, goal, ours: null, anchor: null, value: null, isMet: null, note: measured.unmeasured };
  const { ours, anchor, note = null } = measured;
  const values = ours.map((figure, round) => compared(goal, figure, anchor[round]));
  const value = getSpread(values);
  return {
    id,
    goal,
    ours: getMedian(ours),
    anchor: anchor.length === 0 ? null : getMedian(anchor),
    value,
    ...met(goal, value),
    note,
  };
}

function compared({ compare }: Goal, ours: number, anchor: number | undefined): number {
  if (compare === 'ours') return ours;
  if (anchor === undefined)
    throw new Error('found a round without its anchor, expected as many of one as of the other');
  return compare === 'ratio' ? ours / anchor : ours - anchor;
}

function met({ atLeast, atMost }: Goal, { median }: Spread): { isMet: boolean | null } {
  if (atLeast === undefined && atMost === undefined) return { isMet: null };
  return { isMet: median >= (atLeast ?? Number.NEGATIVE_INFINITY) && median <= (atMost ?? Number.POSITIVE_INFINITY) };
}

/** Returns the median, minimum and maximum; each is NaN for an empty list. */
function getSpread(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other);
  return { median: getMedian(values), least: sorted[0] ?? Number.NaN, most: sorted.at(-1) ?? Number.NaN };
}
