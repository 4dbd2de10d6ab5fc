import { type JsonObject, type JsonValue, isJsonObject, memberAt, toText } from '../core/json.ts';
import { type AnswerFacts, type Offer, type ReplyContent, type Wire, usage } from './wire.ts';

/** The OpenAI Responses protocol, `POST .../responses`. */
export const responsesWire: Wire = {
  offer: (body) => ({
    tools: readTools(body),
    toolChoice: readToolChoice(body),
    schema: memberAt(body, 'text.format.schema'),
  }),
  answer: (saying, facts) => ({
    id: `resp_${facts.index}`,
    object: 'response',
    created_at: 0,
    status: 'completed',
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model: facts.model,
    output: [toItem(saying, facts)],
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.input + usage.output,
    },
  }),
  events: (answer) =>
    numbered([
      { type: 'response.created', response: { ...answer, status: 'in_progress', output: [] } },
      ...listItems(answer).flatMap((item, at) => toEvents(item, at)),
      { type: 'response.completed', response: answer },
    ]),
  end: '',
  problem: (message) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } }),
};

function readTools({ tools }: JsonObject): Offer['tools'] {
  const all = Array.isArray(tools) ? tools.filter(isJsonObject) : [];
  return all
    .filter(({ type }) => type === 'function')
    .map(({ name, parameters }) => ({ name: toText(name), parameters }));
}

function readToolChoice({ tool_choice: choice }: JsonObject): Offer['toolChoice'] {
  if (isJsonObject(choice) && choice['type'] === 'function') return { name: toText(choice['name']) };
  return choice === 'required' ? 'must' : 'may';
}

function toItem(saying: ReplyContent, { index }: AnswerFacts): JsonObject {
  if ('tool' in saying) {
    const { tool, input } = saying;
    const call = { id: `fc_${index}`, call_id: `call_${index}`, name: tool, arguments: JSON.stringify(input) };
    return { type: 'function_call', status: 'completed', ...call };
  }
  const content = [{ type: 'output_text', text: saying.text, annotations: [] }];
  return { type: 'message', id: `msg_${index}`, role: 'assistant', status: 'completed', content };
}

function listItems({ output }: JsonObject): JsonObject[] {
  return Array.isArray(output) ? output.filter(isJsonObject) : [];
}

function toEvents(item: JsonObject, at: number): JsonObject[] {
  const place = { output_index: at, item_id: item['id'] ?? null };
  const inner = item['type'] === 'message' ? textEvents(item, place) : callEvents(item, place);
  const begun =
    item['type'] === 'message' ? { ...item, status: 'in_progress', content: [] } : { ...item, arguments: '' };
  return [
    { type: 'response.output_item.added', output_index: at, item: begun },
    ...inner,
    { type: 'response.output_item.done', output_index: at, item },
  ];
}

function textEvents({ content }: JsonObject, place: JsonObject): JsonObject[] {
  const [part] = Array.isArray(content) ? content : [];
  const text = memberAt(part, 'text') ?? '';
  const at = { ...place, content_index: 0 };
  return [
    { type: 'response.content_part.added', ...at, part: { type: 'output_text', text: '', annotations: [] } },
    { type: 'response.output_text.delta', ...at, delta: text, logprobs: [] },
    { type: 'response.output_text.done', ...at, text, logprobs: [] },
    { type: 'response.content_part.done', ...at, part: part ?? null },
  ];
}

function callEvents({ arguments: text, name }: JsonObject, place: JsonObject): JsonObject[] {
  return [
    { type: 'response.function_call_arguments.delta', ...place, delta: text ?? '' },
    { type: 'response.function_call_arguments.done', ...place, arguments: text ?? '', name: name ?? '' },
  ];
}

function numbered(events: readonly JsonObject[]): { name: string; data: JsonValue }[] {
  return events.map((event, at) => ({ name: toText(event['type']), data: { ...event, sequence_number: at } }));
}
