/*
 * Agents: they work on one goal with one tab until it is reached or given up.
 * Called by the engine, which owns the tab, the clock, the budget and the record of steps (agent.ts).
 * Must not start browsers, keep state between goals, or know what a session is.
 */
export { type OutputJudges, type SchemaRefusal, createOutputJudges } from './output/schema/create-output-judges.ts';
export { runWithinSettings } from './run-within-settings.ts';
export { type TaskScope, openTaskScope } from './task-scope.ts';
export { titleOf } from './title.ts';
