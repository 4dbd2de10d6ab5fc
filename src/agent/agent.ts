import type { Tab } from '#browsers/tab/tab.ts';
import type { Worker } from '#contract/lifecycle.ts';
import type { JsonObject, JsonValue } from '#lib/json.ts';
import type { AgentFiles } from './files.ts';
import type { Mailbox } from './mailbox.ts';
import type { MeteredModel } from './model/model-call.ts';
import type { OutputJudge } from './output-judge.ts';

/** The agents that there are. */
export interface Agents {
  readonly planner: Agent;
  readonly modelAgent: Agent;
  /** Whether a goal is one of the test tasks, which the planner runs in any case. */
  readonly isTestTask: (goal: string) => boolean;
}

/** An agent that lets a model work where there is one, and else the offline planner. */
export function chooseAgent({ planner, modelAgent, isTestTask }: Agents): Agent {
  return {
    worker: (goal, hasModel) => (hasModel && !isTestTask(goal) ? 'model' : workerFor(planner, goal, false)),
    run: (task, world) => (world.model === null || isTestTask(task.goal) ? planner : modelAgent).run(task, world),
  };
}

/** How one task is to be worked on, as its creator chose; an absent member leaves it to the agent. */
export interface TaskSettings {
  /** A complete address; its page is open when the agent begins. */
  readonly startUrl?: string;
  /** Steps that the task may take, at least 1. */
  readonly maxSteps?: number;
  /** Domains that pages may come from (see `isAllowedAddress`). */
  readonly allowedDomains?: readonly string[];
  /** Further instructions for a model. */
  readonly systemPromptExtension?: string;
}

/** One goal, as the engine hands it to the agent. */
export interface AgentTask {
  /** The goal in natural language (contract 4, POST sessions, `task`). */
  readonly goal: string;
  /** Normalised model name. */
  readonly model: string;
  /** Provider-native reasoning controls to send; null leaves the provider's own defaults (contract 4, V4 rules 1 and 2). */
  readonly modelParams: JsonObject | null;
  /** JSON Schema that the output must conform to, or null for free text. */
  readonly outputSchema: JsonObject | null;
  /** When true the output is `{ text, code, output? }` (contract 2, Session, `output`). */
  readonly codeMode: boolean;
  /** Where to begin and how far to go; @defaultValue nothing is bounded */
  readonly settings?: TaskSettings;
  /** Names of the secrets that can be typed, each as `<secret:name>` in the text for a field; @defaultValue none */
  readonly secretNames?: readonly string[];
}

/** Tokens that one step consumed; both are integers of at least 0. */
export interface StepUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What the agent did in one step. */
export interface AgentStep {
  /** One human-readable line, for `lastStepSummary`. */
  readonly summary: string;
  /** The action as data, for messages and events. */
  readonly action: JsonObject;
  /** The page's address after the step. */
  readonly url: string;
  readonly usage: StepUsage;
}

/** What an agent may use. The engine owns all of it. */
export interface AgentWorld {
  /** The tab to work in; asked for only when a step needs it. */
  tab(): Promise<Tab>;
  /** The files of the task's workspace. */
  readonly files: AgentFiles;
  /** Where the session's mail comes to; null where it has no mailbox. */
  readonly mailbox: Mailbox | null;
  /** Judges outputs by the task's schema. */
  readonly judge: OutputJudge;
  /** Aborted when the task is stopped, runs out of budget or the session ends. */
  readonly signal: AbortSignal;
  /** Books a step; rejects with the signal's reason once the task must not go on. */
  step(step: AgentStep): Promise<void>;
  /** The model that was chosen for the task, with its money; null where no model can be called, and the offline planner works. */
  readonly model: MeteredModel | null;
  /** Waits by the service's clock (which a test may advance); rejects with the signal's reason when aborted. */
  wait(ms: number): Promise<void>;
}

/** How a task ended, as the agent judges it. */
export interface AgentOutcome {
  /** True when the goal was achieved, false when the agent failed or gave up. */
  readonly success: boolean;
  readonly output: JsonValue;
  /** Why the goal was not achieved, in words; kept with the task's record. */
  readonly reason?: string;
  /** Whether nobody is to have used the session since, so that one which can time out does; for a test task. @defaultValue false */
  readonly isAbandoned?: boolean;
}

/** Returns what an agent lets work on a goal. */
export function workerFor(agent: Agent, goal: string, hasModel: boolean): Worker {
  return agent.worker?.(goal, hasModel) ?? (hasModel ? 'model' : 'simulation');
}

/** Works on one goal until it is reached or given up. Throws only for a bug, a {@link AgentCrash} or an abort. */
export interface Agent {
  run(task: AgentTask, world: AgentWorld): Promise<AgentOutcome>;
  /** Names what works on such a goal. @defaultValue the model where there is one, else a simulation of a model */
  worker?(goal: string, hasModel: boolean): Worker;
}

/** The sandbox failed beyond repair while a task ran; the session ends in `error` (contract 3). */
export class AgentCrash extends Error {
  override readonly name = 'AgentCrash';
}
