import { type Agent, chooseAgent } from '#agent/agent.ts';
import { createOfflinePlanner, isTestTask, type OfflinePlannerOptions } from '#planner/index.ts';
import type { RuleBook } from '#contract/rule-book.ts';

/**
 * Creates the agent of the service. A model works on each task that has a model, except test tasks if the service
 * allows them. The offline planner works on every other task. The code of the agent with a model is loaded with its
 * first task.
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
