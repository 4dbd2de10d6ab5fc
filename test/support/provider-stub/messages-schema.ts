import { anyText, base64, closed, someText, toolSchema } from './closed.ts';

// The provider rejects a text of white space alone.
const text = closed({ type: { const: 'text' }, text: { type: 'string', pattern: '\\S' } });
const image = closed({
  type: { const: 'image' },
  source: closed({
    type: { const: 'base64' },
    media_type: { enum: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] },
    data: base64,
  }),
});
const toolUse = closed({
  type: { const: 'tool_use' },
  id: { type: 'string', pattern: '^[\\w-]+$' },
  name: someText,
  input: { type: 'object' },
});
const toolResult = closed(
  { type: { const: 'tool_result' }, tool_use_id: someText },
  { content: { type: 'array', items: { anyOf: [text, image] } }, is_error: { type: 'boolean' } },
);
const thinkingBlock = closed({ type: { const: 'thinking' }, thinking: anyText, signature: someText });
const redacted = closed({ type: { const: 'redacted_thinking' }, data: someText });
const display = { enum: ['summarized', 'omitted', null] };
const thinking = {
  anyOf: [
    closed({ type: { const: 'adaptive' } }, { display }),
    // The service forwards the settings of a V4 caller unchanged, without additional members.
    closed({}, { display }),
    closed({ type: { const: 'disabled' } }),
    closed({ type: { const: 'enabled' }, budget_tokens: { type: 'integer', minimum: 1024 } }, { display }),
  ],
};
const turn = (role: string, blocks: readonly object[]): object =>
  closed({ role: { const: role }, content: { type: 'array', minItems: 1, items: { anyOf: blocks } } });

/** Request schema of the Messages API, as its provider documents it (@anthropic-ai/sdk package, resources/messages). */
export const messagesSchema = closed(
  {
    model: someText,
    max_tokens: { type: 'integer', minimum: 1 },
    messages: {
      type: 'array',
      minItems: 1,
      items: {
        anyOf: [turn('user', [text, image, toolResult]), turn('assistant', [text, toolUse, thinkingBlock, redacted])],
      },
    },
  },
  {
    system: someText,
    tools: {
      type: 'array',
      minItems: 1,
      items: closed(
        { name: { type: 'string', pattern: '^[\\w-]{1,64}$' }, input_schema: toolSchema },
        { description: anyText },
      ),
    },
    tool_choice: closed({ type: { enum: ['auto', 'any', 'none'] } }),
    thinking,
    output_config: closed(
      {},
      {
        effort: { enum: ['low', 'medium', 'high', 'xhigh', 'max'] },
        format: closed({ type: { const: 'json_schema' }, schema: { type: 'object' } }),
      },
    ),
  },
);
