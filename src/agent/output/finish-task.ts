import type { JsonValue } from '#lib/json.ts';
import type { AgentOutcome } from '../agent.ts';
import { askForOutput } from './ask-for-output.ts';
import { askForProgram } from './ask-for-program.ts';
import { extractJson } from './extract-json.ts';
import type { Finishing } from './finishing.ts';
import { giveUpWith } from './give-up-with.ts';

/** What a model said when it reached its goal. */
export interface Finished {
  /** Its answer in words. */
  readonly text: string;
  /** Its answer as a value; absent when it gave none. */
  readonly output?: JsonValue;
}

/**
 * The outcome of a task whose model says that its goal is reached: its answer, or what the task's schema and code mode ask
 * for (contract section 2, Session, `output`). Without such an output the task was no success, and the reason says why.
 * Rejects only with the signal's reason, or for a bug.
 */
export async function finishTask(finished: Finished, finishing: Finishing): Promise<AgentOutcome> {
  const { task } = finishing;
  if (task.codeMode) return finishWithProgram(finished, finishing);
  if (task.outputSchema === null) return { success: true, output: finished.output ?? finished.text };
  const made = await askForOutput(task.outputSchema, proposalOf(finished), finishing);
  if (made.ok) return { success: true, output: made.output };
  return giveUpWith(task, `I could not give the output that was asked for: ${made.reason}.`);
}

/** A model may give its value as text. */
function proposalOf({ text, output }: Finished): JsonValue | undefined {
  if (output === undefined || output === null) return extractJson(text);
  return typeof output === 'string' ? (extractJson(output) ?? output) : output;
}

async function finishWithProgram(finished: Finished, finishing: Finishing): Promise<AgentOutcome> {
  const { task } = finishing;
  const made = await askForProgram(finishing);
  const text = finished.text === '' ? JSON.stringify(finished.output ?? null) : finished.text;
  if (made.ok) return { success: true, output: { text, code: made.code, output: made.output } };
  const reason = `I could not give a program that repeats the task: ${made.reason}.`;
  const outcome = giveUpWith(task, reason, made.code);
  return { ...outcome, output: { text: `${text}\n${reason}`, code: made.code } };
}
