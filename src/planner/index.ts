import type { Agent } from '#agent/agent.ts';
import type { OfflinePlannerOptions } from './offline-planner.ts';

export type { OfflinePlannerOptions } from './offline-planner.ts';
export { type ReadTestTask, readTestTask } from './test-tasks.ts';

/** Returns whether a goal names a test task, known or unknown: it begins with `svc-test:`. */
export function isTestTask(goal: string): boolean {
  return /^\s*svc-test:/i.test(goal);
}

/**
 * Creates the planner like `createOfflinePlanner` of `offline-planner.ts`, but loads that module with the first task.
 */
export function createOfflinePlanner(options: OfflinePlannerOptions): Agent {
  return {
    worker: (goal) => (options.testTasks && isTestTask(goal) ? 'simulation' : 'offline_planner'),
    async run(task, world) {
      const planner = await import('./offline-planner.ts');
      return planner.createOfflinePlanner(options).run(task, world);
    },
  };
}
