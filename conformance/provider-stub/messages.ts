import { type JsonObject, type JsonValue, isJsonObject, memberAt, toText } from '../core/json.ts';
import { readControls } from './request-controls.ts';
import { type AnswerFacts, type Offer, type ReplyContent, type Wire, usage } from './wire.ts';

/** The Anthropic Messages protocol, `POST .../messages`. */
export const messagesWire: Wire = {
  offer: (body) => ({
    tools: readTools(body),
    toolChoice: readToolChoice(body),
    schema: memberAt(body, 'output_config.format.schema'),
  }),
  answer: (saying, facts) => ({
    id: `msg_${facts.index}`,
    type: 'message',
    role: 'assistant',
    model: facts.model,
    content: [...thoughts(facts), toBlock(saying, facts)],
    stop_reason: 'tool' in saying ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: usage.input,
      output_tokens: usage.output,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
  }),
  events: (answer) =>
    [
      { type: 'message_start', message: { ...answer, content: [], stop_reason: null } },
      ...listBlocks(answer).flatMap((block, index) => toEvents(block, index)),
      {
        type: 'message_delta',
        delta: { stop_reason: answer['stop_reason'] ?? null, stop_sequence: null },
        usage: { output_tokens: usage.output },
      },
      { type: 'message_stop' },
    ].map((data) => ({ name: data.type, data })),
  end: '',
  problem: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
};

function readTools({ tools }: JsonObject): Offer['tools'] {
  const all = Array.isArray(tools) ? tools.filter(isJsonObject) : [];
  return all.map(({ name, input_schema: parameters }) => ({ name: toText(name), parameters }));
}

function readToolChoice(body: JsonObject): Offer['toolChoice'] {
  const type = memberAt(body, 'tool_choice.type');
  if (type === 'tool') return { name: toText(memberAt(body, 'tool_choice.name')) };
  return type === 'any' ? 'must' : 'may';
}

// If thinking is on, the response contains a thinking block. A check can then see whether the next request returns this
// block.
function thoughts({ body, index }: AnswerFacts): JsonObject[] {
  const { thinking, effort } = readControls(body);
  const isOff = thinking === 'disabled' || (thinking === undefined && effort === undefined);
  return isOff
    ? []
    : [{ type: 'thinking', thinking: 'It is to be said at once.', signature: `stub-signature-${index}` }];
}

function toBlock(saying: ReplyContent, { index }: AnswerFacts): JsonObject {
  if ('text' in saying) return { type: 'text', text: saying.text };
  return { type: 'tool_use', id: `toolu_${index}`, name: saying.tool, input: saying.input };
}

function listBlocks({ content }: JsonObject): JsonObject[] {
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}

function toEvents(block: JsonObject, index: number): { type: string; [member: string]: JsonValue }[] {
  const { begun, deltas } = splitBlock(block);
  return [
    { type: 'content_block_start', index, content_block: begun },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

function splitBlock(block: JsonObject): { begun: JsonObject; deltas: JsonObject[] } {
  const { type, text, thinking, signature, input } = block;
  if (type === 'text') return { begun: { type, text: '' }, deltas: [{ type: 'text_delta', text: text ?? '' }] };
  if (type === 'thinking') {
    const begun = { type, thinking: '', signature: '' };
    const told = { type: 'thinking_delta', thinking: thinking ?? '' };
    return { begun, deltas: [told, { type: 'signature_delta', signature: signature ?? '' }] };
  }
  const json = JSON.stringify(input ?? {});
  return { begun: { ...block, input: {} }, deltas: [{ type: 'input_json_delta', partial_json: json }] };
}
