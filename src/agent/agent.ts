import type { Tab } from '#browsers/tab/tab.ts';
import type { Worker } from '#contract/lifecycle.ts';
import type { JsonObject, JsonValue } from '#lib/json.ts';
import type { AgentFiles } from './files.ts';
import type { Mailbox } from './mailbox.ts';
import type { MeteredModel } from './model/model-call.ts';
import type { OutputJudge } from './output-judge.ts';
import type { IntegrationSummary, TaskIntegrations } from './integrations/integration.ts';
import type { ScheduleProposals } from './schedule-proposals.ts';
import type { SkillSummary, TaskSkills } from './skills/skill.ts';

/** The agents of a service. */
export interface Agents {
  readonly planner: Agent;
  readonly modelAgent: Agent;
  /** Returns whether a goal is a test task. The planner runs test tasks even when a model is available. */
  readonly isTestTask: (goal: string) => boolean;
}

/**
 * Creates an agent that passes each task to one of two agents. The model agent gets the tasks for which a model is
 * available, except test tasks; the offline planner gets all others.
 */
export function chooseAgent({ planner, modelAgent, isTestTask }: Agents): Agent {
  return {
    worker: (goal, hasModel) => (hasModel && !isTestTask(goal) ? 'model' : workerFor(planner, goal, false)),
    run: (task, world) => (world.model === null || isTestTask(task.goal) ? planner : modelAgent).run(task, world),
  };
}

/** Settings of a task as requested; an absent member leaves the choice to the agent. */
export interface TaskSettings {
  /** Absolute URL that is open when the agent begins. */
  readonly startUrl?: string;
  /** Maximum number of steps, at least 1. */
  readonly maxSteps?: number;
  /** Domains whose pages the browser may open during the task (see `isAllowedAddress`). @defaultValue all domains */
  readonly allowedDomains?: readonly string[];
  /** Additional instructions for the model. */
  readonly systemPromptExtension?: string;
  /**
   * Whether each observation has a picture of the page, if the model accepts pictures. With `auto`, only observations
   * of pages without text and controls have one; the model can request further pictures. @defaultValue auto
   */
  readonly vision?: boolean | 'auto';
  /** Whether pictures show each usable element in a box with the reference of the element. @defaultValue false */
  readonly highlightElements?: boolean;
  /** Whether prompts are short: brief rules, no notes, fewer earlier turns. @defaultValue false */
  readonly flashMode?: boolean;
  /** Whether the model writes its thoughts before each call; not in flash mode. @defaultValue false */
  readonly thinking?: boolean;
  /** Whether the model may suggest further tasks when it finishes. @defaultValue false */
  readonly suggests?: boolean;
  /** Settings for the replay or the recording of a script of the task. @defaultValue no script */
  readonly script?: ScriptSettings;
}

/** How a task uses its script. */
export interface ScriptSettings {
  /** Whether a replay searches for elements that have changed, and updates the script. */
  readonly autoHeal: boolean;
}

/** An earlier task of the session. The goal of the current task may refer to it. */
export interface EarlierTask {
  readonly goal: string;
  /** Result of the earlier task, or the reason of its failure; may contain text of pages. */
  readonly result: string;
}

/** A task as an agent receives it. */
export interface AgentTask {
  /** The goal in natural language (contract 4, POST sessions, `task`). */
  readonly goal: string;
  /** Normalised model name. */
  readonly model: string;
  /** Provider-native reasoning controls; null for the provider's defaults (contract 4, V4 rules 1 and 2). */
  readonly modelParams: JsonObject | null;
  /** JSON Schema that the output must conform to, or null for free text. */
  readonly outputSchema: JsonObject | null;
  /** When true the output is `{ text, code, output? }` (contract 2, Session, `output`). */
  readonly codeMode: boolean;
  /** Further settings of the task. @defaultValue none */
  readonly settings?: TaskSettings;
  /**
   * Names of the secrets that the agent can type, each as `<secret:name>` in the text for a field. @defaultValue none
   */
  readonly secretNames?: readonly string[];
  /** Earlier tasks of the session, oldest first. @defaultValue none */
  readonly earlier?: readonly EarlierTask[];
  /** Skills that the agent can read. @defaultValue none */
  readonly skills?: readonly SkillSummary[];
  /** Integrations whose tools the agent can call. @defaultValue none */
  readonly integrations?: readonly IntegrationSummary[];
}

/** Tokens used by a step; both are integers of at least 0. */
export interface StepUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** One step of an agent. */
export interface AgentStep {
  /** One line for people, shown as `lastStepSummary`. */
  readonly summary: string;
  /** The action as data, for messages and events. */
  readonly action: JsonObject;
  /** URL of the page after the step. */
  readonly url: string;
  readonly usage: StepUsage;
  /** Kind of worker that did this step. @defaultValue the worker of the task */
  readonly worker?: Worker;
}

/** Services that only some tasks have. All methods of these services are asynchronous. */
export interface TaskServices {
  /** Proposals of scheduled tasks; null when the task may make none. */
  readonly proposals: ScheduleProposals | null;
  /** Instruction packages; null when the task has none. */
  readonly skills: TaskSkills | null;
  /** Tools of other services; null when the task has none. */
  readonly integrations: TaskIntegrations | null;
}

/** Resources of an agent. The session owns them. */
export interface AgentWorld {
  /** Returns the foreground tab of the browser; opens a tab if none is open. */
  tab(): Promise<Tab>;
  /** The files of the task's workspace. */
  readonly files: AgentFiles;
  /** Mailbox of the session; null without one. */
  readonly mailbox: Mailbox | null;
  /** Services in addition to browser, files and mailbox. @defaultValue none */
  readonly services?: TaskServices;
  /** Checks output against the schema of the task. */
  readonly judge: OutputJudge;
  /** Aborted when the task is stopped or runs out of budget, or when the session ends. */
  readonly signal: AbortSignal;
  /** Records a step and adds its usage to the session. Rejects with the reason of `signal` once the task must end. */
  step(step: AgentStep): Promise<void>;
  /** The metered model of the task; null when no model can be called, so that the offline planner does the task. */
  readonly model: MeteredModel | null;
  /**
   * Waits by the service's clock, which a test may advance. Rejects with the reason of `signal` when this signal
   * aborts.
   */
  wait(ms: number): Promise<void>;
  /** This world without the step limit of the task, for records of the service itself. @defaultValue this world */
  readonly unlimited?: AgentWorld;
}

/** Outcome of a task, as the agent judges it. */
export interface AgentOutcome {
  /** True when the goal was achieved, false when the agent failed or gave up. */
  readonly success: boolean;
  readonly output: JsonValue;
  /** Reason why the goal was not achieved; stored in the record of the task. */
  readonly reason?: string;
  /** Further tasks that the model suggests. @defaultValue none */
  readonly suggestions?: readonly string[];
  /**
   * Whether the session times out as soon as the task has ended, without the usual idle time. Only a test task sets it.
   * @defaultValue false
   */
  readonly isAbandoned?: boolean;
  /**
   * Worker that produced the outcome, if it differs from the result of {@link workerFor}.
   * @defaultValue the result of `workerFor`
   */
  readonly worker?: Worker;
}

/**
 * Returns the kind of worker that works on a goal, as chosen by the `worker` method of the agent. If the agent has no
 * such method, returns `model` if a model is available, else `simulation`.
 */
export function workerFor(agent: Agent, goal: string, hasModel: boolean): Worker {
  return agent.worker?.(goal, hasModel) ?? (hasModel ? 'model' : 'simulation');
}

/**
 * An agent, which works on one task until the task succeeds or fails. `run` rejects only for a bug, an {@link
 * AgentCrash} or an abort.
 */
export interface Agent {
  run(task: AgentTask, world: AgentWorld): Promise<AgentOutcome>;
  /** Returns the kind of worker for a goal. @defaultValue `model` if a model is available, else `simulation` */
  worker?(goal: string, hasModel: boolean): Worker;
}

/** Thrown when the sandbox fails irrecoverably while a task runs; the session then ends in `error` (contract 3). */
export class AgentCrash extends Error {
  override readonly name = 'AgentCrash';
}
