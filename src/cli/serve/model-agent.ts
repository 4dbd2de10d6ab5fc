import { randomBytes } from 'node:crypto';
import type { Agent } from '#agent/agent.ts';
import { mailTools, integrationTools, skillTool, scheduleTool } from '#agent/loop/tools/service-tools.ts';
import { agentLimits } from '#agent/loop/options.ts';
import { createModelAgent } from '#agent/loop/create-model-agent.ts';
import { runCodeTool } from '#agent/output/program/run-code-tool.ts';
import { finishTask } from '#agent/output/finish-task.ts';
import type { RuleBook } from '#contract/rule-book.ts';

/** Creates the agent that works with a model. This module is loaded with the first task that has a model. */
export function modelAgent(rules: RuleBook): Agent {
  return createModelAgent({
    limits: agentLimits(rules),
    newNonce: () => randomBytes(8).toString('hex'),
    finish: (finished, { world, ...work }) => finishTask(finished, { ...work, door: world, judge: world.judge }),
    moreTools: ({ mailbox, services }) => [
      runCodeTool,
      ...(mailbox === null ? [] : mailTools),
      ...((services?.skills ?? null) === null ? [] : [skillTool]),
      ...((services?.integrations ?? null) === null ? [] : integrationTools),
      ...((services?.proposals ?? null) === null ? [] : [scheduleTool]),
    ],
  });
}
