import type { JsonObject } from '#lib/json.ts';
import type { AgentTask } from '../agent.ts';
import type { MeteredModel, ModelMessage, ModelReply } from '../model/model-call.ts';
import type { OutputJudge } from '../output-judge.ts';
import type { ProgramWorld } from './program/program-calls.ts';

/** What a model wrote, or why it wrote nothing that can be used. */
export type Written =
  | { readonly ok: true; readonly text: string; readonly reply: ModelReply }
  | { readonly ok: false; readonly reason: string; readonly isBadRequest: boolean };

/** One question without tools. */
export interface Question {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly outputSchema: JsonObject | null;
  readonly maxOutputTokens: number;
}

/** Asks a model for text. Rejects only as the door does. */
export async function askForText(model: MeteredModel, question: Question): Promise<Written> {
  const answer = await model.call({ ...question, tools: [], toolChoice: 'none' });
  if (!answer.ok) {
    const { message, kind } = answer.failure;
    return { ok: false, reason: message, isBadRequest: kind === 'bad-request' };
  }
  const { reply } = answer;
  if (reply.end === 'refused') return unusable('the model refused to answer');
  if (reply.text.trim() === '') return unusable('the model gave an empty answer');
  return { ok: true, text: reply.text, reply };
}

/** A message of the user that is one text. */
export function userSays(text: string): ModelMessage {
  return { role: 'user', parts: [{ kind: 'text', text }] };
}

function unusable(reason: string): Written {
  return { ok: false, reason, isBadRequest: false };
}

/** What is needed to make the output of a task that has reached its goal. */
export interface Finishing {
  readonly task: AgentTask;
  readonly model: MeteredModel;
  readonly judge: OutputJudge;
  /** What a program of code mode may use: the agent's own, guarded world. */
  readonly door: ProgramWorld;
  /** System prompt of the task. */
  readonly system: string;
  /** The conversation so far, such that a message of the user may follow. */
  readonly messages: readonly ModelMessage[];
}

/** What one call for an output, a program or a judgement may write, reasoning included; it reserves money for as much. */
export const OUTPUT_TOKENS = 16_384;
