import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import type { JsonValue } from '#lib/json.ts';
import type { AgentOutcome, AgentTask, AgentWorld } from '../agent.ts';
import type { MeteredModel, ModelMessage } from '../model/model-call.ts';
import type { Tool } from './tool.ts';

/** What a model said when it reached its goal. */
export interface Finished {
  /** Its answer in words. */
  readonly text: string;
  /** Its answer as a value; absent when it gave none. */
  readonly output?: JsonValue;
}

/** What is needed to make the output of a task that has reached its goal. */
export interface Finishing {
  readonly task: AgentTask;
  readonly model: MeteredModel;
  readonly world: AgentWorld;
  /** System prompt of the task. */
  readonly system: string;
  /** The conversation so far, such that a message of the user may follow. */
  readonly messages: readonly ModelMessage[];
}

/** Makes the outcome of a task whose model says that its goal is reached. */
export type FinishTask = (finished: Finished, finishing: Finishing) => Promise<AgentOutcome>;

/** What an agent with a model is made of. */
export interface ModelAgentDeps {
  readonly limits: AgentLimits;
  /** A text that no page can know beforehand. */
  readonly newNonce: () => string;
  readonly finish: FinishTask;
  /** Tools that not every service or task has. */
  readonly moreTools: (world: AgentWorld) => readonly Tool[];
}

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
    steps: getLimit(rules, 'agentSteps'),
    tokens: getLimit(rules, 'agentTokens'),
    replyTokens: getLimit(rules, 'agentReplyTokens'),
  };
}
