import type { Agent } from '#agent/agent.ts';
import type { OfflinePlannerOptions } from './offline-planner.ts';

export type { OfflinePlannerOptions } from './offline-planner.ts';
export { type ReadTestTask, readTestTask } from './test-tasks.ts';

/** Returns whether a goal begins with `svc-test:`, which marks a test task. True for an unknown test task too. */
export function isTestTask(goal: string): boolean {
  return /^\s*svc-test:/i.test(goal);
}

/**
 * Creates an offline planner, an agent without a model. Loads the module `offline-planner.ts` only with the first task.
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
