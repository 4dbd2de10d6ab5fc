import { type JsonObject, type JsonValue, isJsonObject, memberAt, toText } from '../core/json.ts';
import { type Offer, type ReplyContent, type Wire, usage } from './wire.ts';

/** The OpenAI Chat Completions protocol, `POST .../chat/completions`, which many providers support. */
export const chatWire: Wire = {
  offer: (body) => ({
    tools: readTools(body),
    toolChoice: readToolChoice(body),
    schema: memberAt(body, 'response_format.json_schema.schema') ?? anyObjectSchema(body),
  }),
  answer: (saying, { model, index }) => ({
    id: `chatcmpl-${index}`,
    object: 'chat.completion',
    created: 0,
    model,
    choices: [{ index: 0, message: toMessage(saying, index), finish_reason: 'tool' in saying ? 'tool_calls' : 'stop' }],
    usage: {
      prompt_tokens: usage.input,
      completion_tokens: usage.output,
      total_tokens: usage.input + usage.output,
    },
  }),
  events: (answer) => {
    const choice = Array.isArray(answer['choices']) ? answer['choices'][0] : undefined;
    const { choices: _choices, usage: counted, ...head } = { ...answer, object: 'chat.completion.chunk' } as JsonObject;
    const chunk = (delta: JsonValue, reason: JsonValue): JsonObject => ({
      ...head,
      choices: [{ index: 0, delta, finish_reason: reason }],
    });
    return [
      { data: chunk(toDelta(memberAt(choice, 'message')), null) },
      { data: chunk({}, memberAt(choice, 'finish_reason') ?? null) },
      { data: { ...head, choices: [], usage: counted ?? null } },
    ];
  },
  end: 'data: [DONE]\n\n',
  problem: (message) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } }),
};

function readTools({ tools }: JsonObject): Offer['tools'] {
  const all = Array.isArray(tools) ? tools : [];
  return all.map((tool) => ({
    name: toText(memberAt(tool, 'function.name')),
    parameters: memberAt(tool, 'function.parameters'),
  }));
}

function readToolChoice({ tool_choice: choice }: JsonObject): Offer['toolChoice'] {
  if (isJsonObject(choice)) return { name: toText(memberAt(choice, 'function.name')) };
  return choice === 'required' ? 'must' : 'may';
}

// A request for any JSON object (`json_object`) has no schema.
function anyObjectSchema(body: JsonObject): JsonValue | undefined {
  return memberAt(body, 'response_format.type') === 'json_object' ? { type: 'object' } : undefined;
}

function toMessage(saying: ReplyContent, index: number): JsonObject {
  if ('text' in saying) return { role: 'assistant', content: saying.text };
  const call = { name: saying.tool, arguments: JSON.stringify(saying.input) };
  return { role: 'assistant', content: null, tool_calls: [{ id: `call_${index}`, type: 'function', function: call }] };
}

function toDelta(message: JsonValue | undefined): JsonObject {
  if (!isJsonObject(message)) return {};
  const { tool_calls: calls } = message;
  if (!Array.isArray(calls)) return message;
  return { ...message, tool_calls: calls.map((call, index) => ({ index, ...(isJsonObject(call) ? call : {}) })) };
}
