import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import type { ModelReply, ModelUsage, ToolCall } from '../../../model/model-call.ts';
import { countOf, objectOf, objectsOf, pick, textOf } from '../shared/json-values.ts';
import { parseArguments } from '../shared/parse-arguments.ts';
import type { Fault } from '../../call/fault.ts';
import type { Reading } from '../wire.ts';

/** What of a message a provider wants to see again; reasoning under the names that the providers give it. */
const replayedMembers = ['content', 'tool_calls', 'reasoning_content', 'reasoning_details'];
const ends: Readonly<Record<string, ModelReply['end']>> = {
  length: 'length',
  content_filter: 'refused',
  sensitive: 'refused',
};
/** Codes by which one provider says of a success that it is none. */
const statusCodes: Readonly<Record<number, Fault['kind']>> = {
  1002: 'rate-limited',
  1004: 'unauthorised',
  1008: 'out-of-credit',
  1039: 'rate-limited',
  2013: 'bad-request',
  2049: 'unauthorised',
};

/** Reads an answer of the chat-completions wire. */
export function readAnswer(answer: JsonObject): Reading {
  const usage = figuresOf(objectOf(answer['usage']));
  const code = countOf(objectOf(answer['base_resp'])['status_code']) ?? 0;
  if (code !== 0) return { ok: false, kind: statusCodes[code] ?? 'overloaded', usage };
  const [choice] = objectsOf(answer['choices']);
  const message = choice?.['message'];
  if (choice === undefined || !isJsonObject(message)) return { ok: false, kind: 'garbled', usage };
  if (choice['finish_reason'] === 'network_error') return { ok: false, kind: 'overloaded', usage };
  const toolCalls = objectsOf(message['tool_calls']).map(callOf);
  const refusal = textOf(message['refusal']);
  const text = withoutThoughts(textOf(message['content']));
  const end = ends[textOf(choice['finish_reason'])] ?? (toolCalls.length > 0 ? 'tools' : 'done');
  return {
    ok: true,
    reply: {
      text: text === '' ? refusal : text,
      toolCalls,
      end: refusal === '' ? end : 'refused',
      replay: replayOf(message),
    },
    usage,
  };
}

/** Some count reasoning only in the total. */
function figuresOf(figures: JsonObject): ModelUsage | null {
  const inputTokens = countOf(figures['prompt_tokens']);
  const said = countOf(figures['completion_tokens']);
  if (inputTokens === null || said === null) return null;
  const total = countOf(figures['total_tokens']) ?? 0;
  return { inputTokens, outputTokens: Math.max(said, total - inputTokens) };
}

function callOf(call: JsonObject): ToolCall {
  const { name, arguments: given } = objectOf(call['function']);
  return {
    id: textOf(call['id']),
    name: textOf(name),
    input: isJsonObject(given) ? given : parseArguments(textOf(given)),
  };
}

/** Models that think aloud do so before their answer. */
function withoutThoughts(text: string): string {
  return text.replace(/^\s*<think>[\s\S]*?<\/think>\s*/, '');
}

function replayOf(message: JsonObject): JsonValue {
  const kept = pick(message, replayedMembers);
  const calls = objectsOf(message['tool_calls']).map(withReadableArguments);
  const { tool_calls: _asGiven, content = '', ...rest } = kept;
  const isEmpty = calls.length === 0 && textOf(content) === '';
  return {
    role: 'assistant',
    content: isEmpty ? '(no answer)' : content,
    ...rest,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** A provider refuses a request with arguments that are no JSON, also where its own model wrote them. */
function withReadableArguments(call: JsonObject): JsonObject {
  const { input } = callOf(call);
  const { name } = objectOf(call['function']);
  return { ...pick(call, ['id', 'type']), function: { name: textOf(name), arguments: JSON.stringify(input ?? {}) } };
}
