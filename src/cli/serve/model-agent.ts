import { randomBytes } from 'node:crypto';
import type { Agent } from '#agent/agent.ts';
import { MAIL_TOOLS, INTEGRATION_TOOLS, SKILL_TOOL, SCHEDULE_TOOL } from '#agent/loop/tools/service-tools.ts';
import { agentLimits } from '#agent/loop/options.ts';
import { createModelAgent } from '#agent/loop/create-model-agent.ts';
import { RUN_CODE_TOOL } from '#agent/output/program/run-code-tool.ts';
import { finishTask } from '#agent/output/finish-task.ts';
import type { RuleBook } from '#contract/rule-book.ts';

/** Creates the agent that works with a model. This module is loaded with the first task that has a model. */
export function modelAgent(rules: RuleBook): Agent {
  return createModelAgent({
    limits: agentLimits(rules),
    newNonce: () => randomBytes(8).toString('hex'),
    finish: (finished, { world, ...work }) => finishTask(finished, { ...work, door: world, judge: world.judge }),
    moreTools: ({ mailbox, services }) => [
      RUN_CODE_TOOL,
      ...(mailbox === null ? [] : MAIL_TOOLS),
      ...((services?.skills ?? null) === null ? [] : [SKILL_TOOL]),
      ...((services?.integrations ?? null) === null ? [] : INTEGRATION_TOOLS),
      ...((services?.proposals ?? null) === null ? [] : [SCHEDULE_TOOL]),
    ],
  });
}
