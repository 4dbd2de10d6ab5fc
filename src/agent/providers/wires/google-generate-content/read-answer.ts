import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import type { ModelReply, ModelUsage, ToolCall } from '../../../model/model-call.ts';
import { countOf, objectOf, objectsOf, pick, textOf } from '../shared/json-values.ts';
import { usageOf } from '../shared/usage-of.ts';
import type { Reading } from '../wire.ts';
import { makeId } from './call-id.ts';

const refusals = ['SAFETY', 'RECITATION', 'LANGUAGE', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'IMAGE_SAFETY'];

/** Reads an answer of the generateContent wire. Thoughts count as output, what tools brought in as input. */
export function readAnswer(answer: JsonObject): Reading {
  const usage = figuresOf(answer['usageMetadata']);
  const [candidate] = objectsOf(answer['candidates']);
  if (candidate === undefined) {
    const isBlocked = 'blockReason' in objectOf(answer['promptFeedback']);
    if (!isBlocked) return { ok: false, kind: 'garbled', usage };
    return { ok: true, reply: { text: '', toolCalls: [], end: 'refused', replay: [] }, usage };
  }
  const parts = objectsOf(objectOf(candidate['content'])['parts']);
  const calls = parts.flatMap(({ functionCall }) => (isJsonObject(functionCall) ? [functionCall] : []));
  const toolCalls = calls.map(callOf);
  const text = parts
    .filter(({ thought }) => thought !== true)
    .map((part) => textOf(part['text']))
    .join('');
  const end = endOf(textOf(candidate['finishReason']), toolCalls.length > 0);
  return { ok: true, reply: { text, toolCalls, end, replay: parts.filter(isReplayed).map(replayOf) }, usage };
}

function figuresOf(value: JsonValue | undefined): ModelUsage | null {
  if (!isJsonObject(value)) return null;
  const count = (member: string): number | null => countOf(value[member] ?? 0);
  return 'promptTokenCount' in value
    ? usageOf(
        [count('promptTokenCount'), count('toolUsePromptTokenCount')],
        [count('candidatesTokenCount'), count('thoughtsTokenCount')],
      )
    : null;
}

function callOf({ id, name, args }: JsonObject, index: number): ToolCall {
  const given = textOf(id);
  // A call without arguments comes without the member.
  const input = args === undefined ? {} : isJsonObject(args) ? args : null;
  return { id: given === '' ? makeId(index) : given, name: textOf(name), input };
}

/** Summaries of thoughts are for people; what the model wants again are calls, text and whatever carries a signature. */
function isReplayed({ thought, thoughtSignature, text, functionCall }: JsonObject): boolean {
  if (thoughtSignature !== undefined || isJsonObject(functionCall)) return true;
  return thought !== true && textOf(text) !== '';
}

function replayOf(part: JsonObject): JsonObject {
  return pick(part, ['text', 'thought', 'thoughtSignature', 'functionCall']);
}

function endOf(reason: string, callsTools: boolean): ModelReply['end'] {
  if (refusals.includes(reason)) return 'refused';
  if (reason === 'MAX_TOKENS') return 'length';
  return callsTools ? 'tools' : 'done';
}
