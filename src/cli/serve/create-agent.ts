import { type Agent, chooseAgent } from '#agent/agent.ts';
import { createOfflinePlanner, isTestTask, type OfflinePlannerOptions } from '#planner/index.ts';
import type { RuleBook } from '#contract/rule-book.ts';

/**
 * Creates the agent of the service. A task with a model is run by the agent with this model; every other task, and each
 * test task, by the offline planner. The code of both is loaded with the first task that needs it.
 */
export function createAgent(rules: RuleBook, { testTasks }: OfflinePlannerOptions): Agent {
  return chooseAgent({
    planner: createOfflinePlanner({ testTasks }),
    isTestTask: (goal) => testTasks && isTestTask(goal),
    modelAgent: {
      async run(task, world) {
        const { modelAgent } = await import('./model-agent.ts');
        return modelAgent(rules).run(task, world);
      },
    },
  });
}
