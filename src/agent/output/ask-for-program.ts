import type { JsonValue } from '#lib/json.ts';
import type { ModelMessage } from '../model/model-call.ts';
import { askForText, userSays } from './ask-for-text.ts';
import { extractCode } from './extract-code.ts';
import type { Finishing } from './finishing.ts';
import { OUTPUT_TOKENS } from './output-tokens.ts';
import { PROGRAM_DIALECT } from './program/program-dialect.ts';
import { runProgram } from './program/run-program.ts';

/** A program that repeats the task, and its result; `code` is also there when it failed, as far as there was one. */
export type ProgramOutput =
  | { readonly ok: true; readonly code: string; readonly output: JsonValue }
  | { readonly ok: false; readonly code: string; readonly reason: string };

/**
 * A program that repeats the task, written by the model and run once in the sandbox, in the session's own browser. One that
 * fails, or whose result does not conform to the task's schema, is repaired once by the model.
 */
export async function askForProgram(finishing: Finishing): Promise<ProgramOutput> {
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
  /** The conversation with what the model wrote, or null when it wrote nothing. */
  readonly turn: readonly ModelMessage[] | null;
}

async function attempt(finishing: Finishing, turn: readonly ModelMessage[]): Promise<Attempt> {
  const { model, system, messages, door } = finishing;
  const question = { system, messages: [...messages, ...turn], outputSchema: null, maxOutputTokens: OUTPUT_TOKENS };
  const written = await askForText(model, question);
  if (!written.ok) return { result: { ok: false, code: '', reason: written.reason }, turn: null };
  const code = extractCode(written.text);
  const ran = await runProgram(code, door);
  const reason = ran.ok ? await faultOf(ran.output, finishing) : ran.reason;
  const result: ProgramOutput =
    ran.ok && reason === null ? { ok: true, code, output: ran.output } : { ok: false, code, reason: reason ?? '' };
  return { result, turn: [...turn, { role: 'model', reply: written.reply }] };
}

async function faultOf(output: JsonValue, { task, judge }: Finishing): Promise<string | null> {
  if (task.outputSchema === null) return null;
  const verdict = await judge.check(task.outputSchema, output);
  return verdict.ok ? null : `its result does not conform to the output schema (${verdict.errors.join('; ')})`;
}

function askedFor({ task }: Finishing): string {
  const schema =
    task.outputSchema === null ? '' : `\nIts result conforms to this JSON Schema: ${JSON.stringify(task.outputSchema)}`;
  return `The work is done. Write a program now that repeats the task and computes its result, and nothing else: no words before or after it. It is run once, in the browser that you have used, so it must not do again what may happen only once (an order, a payment, a message): there it only reads what came of it.\n${PROGRAM_DIALECT}${schema}`;
}
