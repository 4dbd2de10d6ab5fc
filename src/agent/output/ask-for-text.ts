import type { JsonObject } from '#lib/json.ts';
import type { AgentTask } from '../agent.ts';
import type { MeteredModel, ModelMessage, ModelReply } from '../model/model-call.ts';
import type { OutputJudge } from '../output-judge.ts';
import type { ProgramWorld } from './program/program-calls.ts';

/** Text of a model, or the reason why it is not usable. */
export type Written =
  | { readonly ok: true; readonly text: string; readonly reply: ModelReply }
  | { readonly ok: false; readonly reason: string; readonly isBadRequest: boolean };

/** A request without tools. */
export interface Question {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly outputSchema: JsonObject | null;
  readonly maxOutputTokens: number;
}

/**
 * Asks a model for text, without tools. Returns the text, or the reason why the model gave no text. Rejects only when
 * the call of the model rejects.
 */
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

/** Returns a user message with one text. */
export function userSays(text: string): ModelMessage {
  return { role: 'user', parts: [{ kind: 'text', text }] };
}

function unusable(reason: string): Written {
  return { ok: false, reason, isBadRequest: false };
}

/** Inputs for creating the output of a completed task. */
export interface Finishing {
  readonly task: AgentTask;
  readonly model: MeteredModel;
  readonly judge: OutputJudge;
  /** What a program in code mode can use: tab, files, waits and the task's abort signal, with secrets redacted. */
  readonly door: ProgramWorld;
  /** System prompt of the task. */
  readonly system: string;
  /** Conversation so far. It does not end with a user message, so that a request can append one. */
  readonly messages: readonly ModelMessage[];
}

/**
 * Maximum output tokens of one call for an output, a program or a judgement, reasoning included; the call reserves
 * money for them.
 */
export const outputTokens = 16_384;
