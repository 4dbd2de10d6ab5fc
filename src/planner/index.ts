/*
 * The offline planner: an agent without a model. It reads a task as plain instructions (instructions/), carries them out on pages
 * (follow/, page/), and runs the test tasks of spec/rules/test-tasks.yaml. Called by the compositions of the service and of the mock.
 * Must not start browsers, call a model, or keep state between tasks.
 */
export { isTestTask } from './is-test-task.ts';
export { createOfflinePlanner } from './load-planner.ts';
export type { OfflinePlannerOptions } from './offline-planner.ts';
export { type ReadTestTask, readTestTask } from './read-test-task.ts';
