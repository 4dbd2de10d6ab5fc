import type { JsonValue } from '#lib/json.ts';
import type { AgentOutcome, AgentTask } from '../agent.ts';
import { askForOutput } from './ask-for-output.ts';
import { extractCode, extractJson } from './extract.ts';
import { askForText, type Finishing, outputTokens, userSays } from './ask-for-text.ts';
import type { ModelMessage } from '../model/model-call.ts';
import { programDialect } from './program/run-code-tool.ts';
import { runProgram } from './program/run-program.ts';

/** Final statement of a model that has achieved its goal. */
export interface Finished {
  /** Answer as text. */
  readonly text: string;
  /** Answer as a value; absent without one. */
  readonly output?: JsonValue;
}

/**
 * Returns the outcome of a completed task: the answer, or the output that schema and code mode require (contract
 * section 2, Session, `output`). The task fails with a reason if no such output can be made. Rejects only with the
 * signal's reason, or for a bug.
 */
export async function finishTask(finished: Finished, finishing: Finishing): Promise<AgentOutcome> {
  const { task } = finishing;
  if (task.codeMode) return finishWithProgram(finished, finishing);
  if (task.outputSchema === null) return { success: true, output: finished.output ?? finished.text };
  const made = await askForOutput(task.outputSchema, getProposal(finished), finishing);
  if (made.ok) return { success: true, output: made.output };
  return giveUpWith(task, `I could not give the output that was asked for: ${made.reason}.`);
}

/**
 * Returns the proposed output: `output`, or the JSON in `output` if it is a text with JSON. If `output` is absent or
 * null, returns the JSON in `text`, or undefined if `text` contains no JSON.
 */
function getProposal({ text, output }: Finished): JsonValue | undefined {
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

/**
 * Returns the outcome of a task that was given up. In code mode its output is the reason with `code`. Otherwise its
 * output is null if the task has an output schema, else the reason.
 */
function giveUpWith(task: AgentTask, reason: string, code = ''): AgentOutcome {
  if (task.codeMode) return { success: false, reason, output: { text: reason, code } };
  return { success: false, reason, output: task.outputSchema === null ? reason : null };
}

/**
 * A program that repeats the task, and its result. `code` of a failure is the failed program; empty if the model wrote
 * none.
 */
type ProgramOutput =
  | { readonly ok: true; readonly code: string; readonly output: JsonValue }
  | { readonly ok: false; readonly code: string; readonly reason: string };

/**
 * Lets the model write a program that repeats the task, and runs the program in the sandbox, with the browser of the
 * session. If the program fails or its result violates the schema, the model repairs the program once, and the repaired
 * program runs.
 */
async function askForProgram(finishing: Finishing): Promise<ProgramOutput> {
  const asked = userSays(askedFor(finishing));
  const first = await attempt(finishing, [asked]);
  if (first.result.ok || first.turn === null) return first.result;
  const repair = userSays(
    `The program failed: ${first.result.reason}. Give the whole program once more, repaired, and nothing else.`,
  );
  return (await attempt(finishing, [...first.turn, repair])).result;
}

interface Attempt {
  readonly result: ProgramOutput;
  /**
   * Requests for the program and the model's replies, which a request for a repair repeats; null when the model wrote
   * no program.
   */
  readonly turn: readonly ModelMessage[] | null;
}

async function attempt(finishing: Finishing, turn: readonly ModelMessage[]): Promise<Attempt> {
  const { model, system, messages, door } = finishing;
  const question = { system, messages: [...messages, ...turn], outputSchema: null, maxOutputTokens: outputTokens };
  const written = await askForText(model, question);
  if (!written.ok) return { result: { ok: false, code: '', reason: written.reason }, turn: null };
  const code = extractCode(written.text);
  const ran = await runProgram(code, door);
  const reason = ran.ok ? await getFault(ran.output, finishing) : ran.reason;
  const result: ProgramOutput =
    ran.ok && reason === null ? { ok: true, code, output: ran.output } : { ok: false, code, reason: reason ?? '' };
  return { result, turn: [...turn, { role: 'model', reply: written.reply }] };
}

async function getFault(output: JsonValue, { task, judge }: Finishing): Promise<string | null> {
  if (task.outputSchema === null) return null;
  const verdict = await judge.check(task.outputSchema, output);
  return verdict.ok ? null : `its result does not conform to the output schema (${verdict.errors.join('; ')})`;
}

function askedFor({ task }: Finishing): string {
  const schema =
    task.outputSchema === null ? '' : `\nIts result conforms to this JSON Schema: ${JSON.stringify(task.outputSchema)}`;
  return `The work is done. Write a program now that repeats the task and computes its result, and nothing else: no words before or after it. It is run once, in the browser that you have used, so it must not do again what may happen only once (an order, a payment, a message): there it only reads what came of it.\n${programDialect}${schema}`;
}
