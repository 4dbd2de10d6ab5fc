import { randomBytes } from 'node:crypto';
import type { Agent } from '#backend/agent/agent.ts';
import { createOfflinePlanner, isTestTask, type OfflinePlannerOptions } from '#backend/agent/index.ts';
import { MAIL_TOOLS } from '#backend/agent/mailbox-tools.ts';
import { agentLimits, chooseAgent, createModelAgent } from '#backend/agent/loop/index.ts';
import { type OutputJudge, RUN_CODE_TOOL, finishTask } from '#backend/agent/output/index.ts';
import type { RuleBook } from '#domain/rule-book.ts';

/** How the agent of the service behaves, and who judges its outputs. */
interface AgentOptions extends OfflinePlannerOptions {
  readonly judge: OutputJudge;
}

/** The agent of the service: a model works where there is one for the task, else the offline planner. */
export function createAgent(rules: RuleBook, { testTasks, judge }: AgentOptions): Agent {
  return chooseAgent({
    planner: createOfflinePlanner({ testTasks }),
    isTestTask: (goal) => testTasks && isTestTask(goal),
    modelAgent: createModelAgent({
      limits: agentLimits(rules),
      newNonce: () => randomBytes(8).toString('hex'),
      finish: (finished, { world, ...work }) => finishTask(finished, { ...work, door: world, judge }),
      moreTools: ({ mailbox }) => [RUN_CODE_TOOL, ...(mailbox === null ? [] : MAIL_TOOLS)],
    }),
  });
}
