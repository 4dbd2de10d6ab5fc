import type { AgentTask } from '../agent.ts';
import type { ModelDoor, ModelMessage } from '../model/model-call.ts';
import type { ProgramDoor } from './program/door-calls.ts';
import type { OutputJudge } from '../output-judge.ts';

/** What is needed to make the output of a task that has reached its goal. */
export interface Finishing {
  readonly task: AgentTask;
  readonly model: ModelDoor;
  readonly judge: OutputJudge;
  /** What a program of code mode may use: the agent's own, guarded world. */
  readonly door: ProgramDoor;
  /** What the model was told of its work. */
  readonly system: string;
  /** The conversation so far, such that a message of the user may follow. */
  readonly messages: readonly ModelMessage[];
}
