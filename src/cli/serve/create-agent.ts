import { randomBytes } from 'node:crypto';
import type { Agent } from '#backend/agent/agent.ts';
import { createOfflinePlanner, isTestTask, type OfflinePlannerOptions } from '#backend/agent/index.ts';
import { agentLimits, chooseAgent, createModelAgent, finishPlainly } from '#backend/agent/loop/index.ts';
import type { RuleBook } from '#domain/rule-book.ts';

/** The agent of the service: a model works where there is one for the task, else the offline planner. */
export function createAgent(rules: RuleBook, { testTasks }: OfflinePlannerOptions): Agent {
  return chooseAgent({
    planner: createOfflinePlanner({ testTasks }),
    isTestTask: (goal) => testTasks && isTestTask(goal),
    modelAgent: createModelAgent({
      limits: agentLimits(rules),
      newNonce: () => randomBytes(8).toString('hex'),
      finish: finishPlainly,
      moreTools: () => [],
    }),
  });
}
