/*
 * Agents: they work on one goal with one tab until it is reached or given up.
 * Called by the engine, which owns the tab, the clock, the budget and the record of steps (agent.ts, tab.ts).
 * The offline planner (planner/) follows plain instructions without a model, and runs the documented test tasks.
 * Must not start browsers, keep state between goals, or know what a session is.
 */
export { checkOutputSchema } from './output/schema/compile-schema.ts';
export { isTestTask } from './planner/is-test-task.ts';
export type { OfflinePlannerOptions } from './planner/offline-planner.ts';
export { createOfflinePlanner } from './load-planner.ts';
export { runWithinSettings } from './run-within-settings.ts';
export { type TaskScope, openTaskScope } from './task-scope.ts';
export { type ReadTestTask, readTestTask } from './planner/read-test-task.ts';
export { titleOf } from './title-of.ts';
