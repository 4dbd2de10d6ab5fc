export { applyBaseline } from './apply-baseline.ts';
export type { Baseline, BaselineEntry } from './baseline.ts';
export { type BaselineSource, baselineUse, isPlaceholder, readBaseline } from './read-baseline.ts';
export { renderBaseline, type BaselineUpdate, updateBaseline } from './update-baseline.ts';
