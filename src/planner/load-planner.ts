import type { Agent } from '#agent/agent.ts';
import type { OfflinePlannerOptions } from './offline-planner.ts';

/** As `createOfflinePlanner` of `planner/offline-planner.ts`, which is loaded with the first task that it works on. */
export function createOfflinePlanner(options: OfflinePlannerOptions): Agent {
  return {
    async run(task, world) {
      const planner = await import('./offline-planner.ts');
      return planner.createOfflinePlanner(options).run(task, world);
    },
  };
}
