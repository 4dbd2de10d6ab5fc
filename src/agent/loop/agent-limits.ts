import { limitOf, type RuleBook } from '#contract/rule-book.ts';

/** How far an agent with a model goes on one task, whatever the task's own settings allow. All are at least 1. */
export interface AgentLimits {
  readonly steps: number;
  /** Tokens that its calls read and write, all together. */
  readonly tokens: number;
  /** Tokens that one reply may have, reasoning included. */
  readonly replyTokens: number;
}

/** The limits of spec/rules/limits.yaml. */
export function agentLimits(rules: RuleBook): AgentLimits {
  return {
    steps: limitOf(rules, 'agentSteps'),
    tokens: limitOf(rules, 'agentTokens'),
    replyTokens: limitOf(rules, 'agentReplyTokens'),
  };
}
