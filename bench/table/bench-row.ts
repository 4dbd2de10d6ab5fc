import type { FigureId } from './goals.ts';
import type { Stage } from './stage.ts';

/** Measurements of one figure by round: round n of the project and round n of the anchor were adjacent. */
export interface Rounds {
  readonly id: FigureId;
  /** Measurements of this service, in the unit of the goal. */
  readonly ours: readonly number[];
  /**
   * Measurements of the anchor, which is the program for comparison. As many as `ours`; empty for a figure without an
   * anchor.
   */
  readonly anchor: readonly number[];
  /** Remark for the reader. @defaultValue none */
  readonly note?: string;
}

/** A figure that could not be measured, with the reason. */
export interface Unmeasured {
  readonly id: FigureId;
  readonly unmeasured: string;
}

/** Figures that are measured together, because they share services. */
export interface BenchRow {
  readonly ids: readonly FigureId[];
  /** Measures all figures. The row ends every resource that it starts, or leaves the resource to the stage. */
  measure(stage: Stage): Promise<readonly (Rounds | Unmeasured)[]>;
}
