import { randomBytes } from 'node:crypto';
import type { Agent } from '#agent/agent.ts';
import { MAIL_TOOLS } from '#agent/loop/tools/mailbox-tools.ts';
import { agentLimits, createModelAgent } from '#agent/loop/index.ts';
import { RUN_CODE_TOOL, finishTask } from '#agent/output/index.ts';
import type { RuleBook } from '#contract/rule-book.ts';

/** The agent that works with a model. Loaded with the first task that has one. */
export function modelAgent(rules: RuleBook): Agent {
  return createModelAgent({
    limits: agentLimits(rules),
    newNonce: () => randomBytes(8).toString('hex'),
    finish: (finished, { world, ...work }) => finishTask(finished, { ...work, door: world, judge: world.judge }),
    moreTools: ({ mailbox }) => [RUN_CODE_TOOL, ...(mailbox === null ? [] : MAIL_TOOLS)],
  });
}
