/**
 * Known failures: reading the file that lists them, marking them in a report, and writing the file again. Called by the
 * command line after a run. It never changes a verdict or a total, never reads a clock, and never touches a file.
 */
export { applyBaseline } from './apply-baseline.ts';
export type { Baseline, BaselineEntry } from './baseline.ts';
export { type BaselineSource, baselineUse, isPlaceholder, readBaseline } from './read-baseline.ts';
export { renderBaseline } from './render-baseline.ts';
export { type BaselineUpdate, updateBaseline } from './update-baseline.ts';
