import type { FigureId } from './goals.ts';
import type { Stage } from './stage.ts';

/**
 * Measurements of one figure by round. Element n of `ours` and element n of `anchor` were measured one directly after
 * the other.
 */
export interface Rounds {
  readonly id: FigureId;
  /** Measurements of this project, in the unit of the goal. */
  readonly ours: readonly number[];
  /**
   * Measurements of the anchor, the program for comparison. There are as many as in `ours`, or none for a figure
   * without an anchor.
   */
  readonly anchor: readonly number[];
  /** Remark for the reader of the table. @defaultValue none */
  readonly note?: string;
}

/** A figure that could not be measured, with the reason. */
export interface Unmeasured {
  readonly id: FigureId;
  readonly unmeasured: string;
}

/** A row of the benchmark: figures that are measured together, because they use the same services. */
export interface BenchRow {
  readonly ids: readonly FigureId[];
  /**
   * Measures all figures of the row. The row ends each resource that it starts, except those that belong to the stage.
   */
  measure(stage: Stage): Promise<readonly (Rounds | Unmeasured)[]>;
}
