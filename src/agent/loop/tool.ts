import type { JsonObject } from '#lib/json.ts';
import type { AgentWorld } from '../agent.ts';
import type { ToolDefinition } from '../model/model-call.ts';
import type { Tab } from '#browsers/tab/tab.ts';
import type { Notes } from './notes.ts';

/** What a call of a tool works with. */
export interface ToolWorld {
  readonly world: AgentWorld;
  /** The tab; rejects with a TabError when there can be none. */
  readonly tab: () => Promise<Tab>;
  /** What people call the element of a reference, for summaries: its name in quotation marks, else the reference. */
  readonly labelOf: (ref: string) => string;
  /** The whole outline of the page as the model was shown it. */
  readonly outline: () => string;
  readonly notes: Notes;
}

/** What a tool answers a model. */
export interface ToolAnswer {
  /** Our own words. */
  readonly text: string;
  /** What pages, files or mails say: it is fenced, and cut where it is too long. @defaultValue nothing */
  readonly data?: string;
  /** A JPEG; @defaultValue none */
  readonly picture?: Uint8Array;
}

/** Something that a model can do. Facts as data: what it is called, what it takes, how a person would tell of it. */
export interface Tool extends ToolDefinition {
  /** Whether a call is a step of the task, as everything is that acts on something or reads it. */
  readonly isStep: boolean;
  /** What was done, in plain words, for the step's summary. Secrets are there by their names only. */
  readonly summary: (input: JsonObject, at: Pick<ToolWorld, 'labelOf'>) => string;
  /** Does it. The input conforms to `parameters`. Rejects with a TabError, FileError or MailError for what a model is told. */
  run(input: JsonObject, at: ToolWorld): Promise<ToolAnswer>;
}
