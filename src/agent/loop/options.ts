import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import type { JsonValue } from '#lib/json.ts';
import type { AgentOutcome, AgentTask, AgentWorld } from '../agent.ts';
import type { MeteredModel, ModelMessage } from '../model/model-call.ts';
import type { Tool } from './tool.ts';

/** Final statement of a model that has achieved its goal. */
export interface Finished {
  /** Answer as text. */
  readonly text: string;
  /** Answer as a value; absent without one. */
  readonly output?: JsonValue;
}

/** Inputs for making the output of a completed task. */
export interface Finishing {
  readonly task: AgentTask;
  readonly model: MeteredModel;
  readonly world: AgentWorld;
  /** System prompt of the task. */
  readonly system: string;
  /** Conversation so far. It does not end with a user message, so that a request can append one. */
  readonly messages: readonly ModelMessage[];
}

/** Makes the outcome of a task whose model reports that the goal is achieved. */
export type FinishTask = (finished: Finished, finishing: Finishing) => Promise<AgentOutcome>;

/** Dependencies of an agent with a model. */
export interface ModelAgentDeps {
  readonly limits: AgentLimits;
  /** Returns a new text that no page can guess. */
  readonly newNonce: () => string;
  readonly finish: FinishTask;
  /** Returns further tools, which depend on the service or the task. */
  readonly moreTools: (world: AgentWorld) => readonly Tool[];
}

/** Limits of a task of an agent with a model, in addition to those of the task's settings. All are at least 1. */
export interface AgentLimits {
  readonly steps: number;
  /** Maximum number of input and output tokens of all calls together. */
  readonly tokens: number;
  /** Maximum number of tokens of one reply, reasoning included. */
  readonly replyTokens: number;
}

/** Returns the limits of spec/rules/limits.yaml. */
export function agentLimits(rules: RuleBook): AgentLimits {
  return {
    steps: getLimit(rules, 'agentSteps'),
    tokens: getLimit(rules, 'agentTokens'),
    replyTokens: getLimit(rules, 'agentReplyTokens'),
  };
}
