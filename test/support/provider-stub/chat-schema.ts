import { anyText, closed, dataUrl, someText, toolSchema } from './closed.ts';

const parts = {
  type: 'array',
  minItems: 1,
  items: {
    anyOf: [
      closed({ type: { const: 'text' }, text: anyText }),
      closed({ type: { const: 'image_url' }, image_url: closed({ url: dataUrl }, { detail: anyText }) }),
    ],
  },
};
const call = closed({
  id: someText,
  type: { const: 'function' },
  function: closed({ name: someText, arguments: anyText }),
});
const messages = (content: object, reasoning: Readonly<Record<string, object>>): object => ({
  type: 'array',
  minItems: 1,
  items: {
    anyOf: [
      closed({ role: { const: 'system' }, content: someText }),
      closed({ role: { const: 'user' }, content }),
      closed({ role: { const: 'tool' }, tool_call_id: someText, content: anyText }),
      closed(
        { role: { const: 'assistant' } },
        {
          content: { type: ['string', 'null'] },
          tool_calls: { type: 'array', minItems: 1, items: call },
          ...reasoning,
        },
      ),
    ],
  },
});
const tools = {
  type: 'array',
  minItems: 1,
  items: closed({
    type: { const: 'function' },
    function: closed(
      { name: { type: 'string', pattern: '^[\\w-]{1,64}$' }, parameters: toolSchema },
      { description: anyText },
    ),
  }),
};
const format = closed({
  type: { const: 'json_schema' },
  json_schema: closed({ name: someText, schema: { type: 'object' } }, { strict: { type: ['boolean', 'null'] } }),
});
const tokens = { type: 'integer', minimum: 1 };
const reasoningText = { reasoning_content: anyText };

/** Request schemas of the chat-completions API, as each of its providers documents it. */
export const chatSchemas: Readonly<Record<string, object>> = {
  zai: closed(
    { model: someText, messages: messages(anyText, reasoningText) },
    {
      max_tokens: tokens,
      tools,
      tool_choice: { const: 'auto' },
      thinking: closed({ type: { enum: ['enabled', 'disabled'] } }),
    },
  ),
  minimax: closed(
    { model: someText, messages: messages(anyText, { reasoning_details: { type: 'array' } }) },
    { max_completion_tokens: tokens, tools, reasoning_split: { const: true } },
  ),
  xai: closed(
    { model: someText, messages: messages({ anyOf: [anyText, parts] }, reasoningText) },
    {
      max_completion_tokens: tokens,
      tools,
      tool_choice: { enum: ['auto', 'required', 'none'] },
      response_format: format,
    },
  ),
  moonshot: closed(
    { model: someText, messages: messages({ anyOf: [anyText, parts] }, reasoningText) },
    { max_completion_tokens: tokens, tools, tool_choice: { enum: ['auto', 'none'] } },
  ),
  meta: closed(
    { model: someText, messages: messages({ anyOf: [anyText, parts] }, {}) },
    {
      max_completion_tokens: tokens,
      tools,
      tool_choice: { enum: ['auto', 'required', 'none'] },
      response_format: format,
    },
  ),
};
