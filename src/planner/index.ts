import type { Agent } from '#agent/agent.ts';
import type { OfflinePlannerOptions } from './offline-planner.ts';

export type { OfflinePlannerOptions } from './offline-planner.ts';
export { type ReadTestTask, readTestTask } from './test-tasks.ts';

/** Whether a goal is meant as one of the documented test tasks, known or not: it begins with `svc-test:`. */
export function isTestTask(goal: string): boolean {
  return /^\s*svc-test:/i.test(goal);
}

/** As `createOfflinePlanner` of `planner/offline-planner.ts`, which is loaded with the first task that it works on. */
export function createOfflinePlanner(options: OfflinePlannerOptions): Agent {
  return {
    worker: (goal) => (options.testTasks && isTestTask(goal) ? 'simulation' : 'offline_planner'),
    async run(task, world) {
      const planner = await import('./offline-planner.ts');
      return planner.createOfflinePlanner(options).run(task, world);
    },
  };
}
