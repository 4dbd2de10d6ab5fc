import type { Rounds, Unmeasured } from './bench-row.ts';
import { type FigureId, type Goal, goalOf } from './goals.ts';

/** One line of the table. */
export interface Line {
  readonly id: FigureId;
  readonly goal: Goal;
  /** Medians over the rounds; null where nothing was measured. */
  readonly ours: number | null;
  readonly anchor: number | null;
  /** What the goal speaks of: the median of what the rounds came to, with the least and the most of them. */
  readonly value: Spread | null;
  /** Null where there is no goal, or nothing was measured. */
  readonly isMet: boolean | null;
  /** Why nothing was measured, or what a reader has to know. */
  readonly note: string | null;
}

/** A median and what it lies between. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** Holds what was measured of a figure against its goal. */
export function summarise(measured: Rounds | Unmeasured): Line {
  const { id } = measured;
  const goal = goalOf(id);
  if ('unmeasured' in measured)
    return { id, goal, ours: null, anchor: null, value: null, isMet: null, note: measured.unmeasured };
  const { ours, anchor, note = null } = measured;
  const values = ours.map((figure, round) => compared(goal, figure, anchor[round]));
  const value = spreadOf(values);
  return {
    id,
    goal,
    ours: medianOf(ours),
    anchor: anchor.length === 0 ? null : medianOf(anchor),
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

/** The median of numbers with the least and the most of them; of none, not numbers. */
function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other);
  return { median: medianOf(values), least: sorted[0] ?? Number.NaN, most: sorted.at(-1) ?? Number.NaN };
}

/** The median of numbers: of an even count the mean of the two in the middle, of none no number. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const half = sorted.length / 2;
  const [below, above] = [sorted[Math.ceil(half) - 1], sorted[Math.floor(half)]];
  return below === undefined || above === undefined ? Number.NaN : (below + above) / 2;
}
