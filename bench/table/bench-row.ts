import type { FigureId } from './goals.ts';
import type { Stage } from './stage.ts';

/** What was measured of one figure, round by round: round n of ours and round n of the anchor were next to each other. */
export interface Rounds {
  readonly id: FigureId;
  /** In the unit of its goal. */
  readonly ours: readonly number[];
  /** As many as ours; none where the figure has no anchor. */
  readonly anchor: readonly number[];
  /** What a reader has to know about these figures. @defaultValue nothing */
  readonly note?: string;
}

/** A figure that could not be measured here, and why. */
export interface Unmeasured {
  readonly id: FigureId;
  readonly unmeasured: string;
}

/** Figures that are measured together, because they share what is started for them. */
export interface BenchRow {
  readonly ids: readonly FigureId[];
  /** Measures them all; whatever it starts it ends, or hands to the stage. */
  measure(stage: Stage): Promise<readonly (Rounds | Unmeasured)[]>;
}
