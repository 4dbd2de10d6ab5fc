import { anyText, closed, dataUrl, someText, toolSchema } from './closed.ts';

const inputText = closed({ type: { const: 'input_text' }, text: anyText });
const inputImage = closed({
  type: { const: 'input_image' },
  image_url: dataUrl,
  detail: { enum: ['auto', 'low', 'high', 'original'] },
});
const content = { type: 'array', minItems: 1, items: { anyOf: [inputText, inputImage] } };
const userMessage = closed(
  { role: { enum: ['user', 'system', 'developer'] }, content },
  { type: { const: 'message' } },
);
const outputMessage = closed({
  type: { const: 'message' },
  id: { type: 'string', pattern: '^msg_' },
  role: { const: 'assistant' },
  status: { enum: ['in_progress', 'completed', 'incomplete'] },
  content: {
    type: 'array',
    items: closed(
      { type: { const: 'output_text' }, text: anyText, annotations: { type: 'array' } },
      { logprobs: { type: 'array' } },
    ),
  },
});
const functionCall = closed(
  { type: { const: 'function_call' }, call_id: someText, name: someText, arguments: anyText },
  { id: { type: 'string', pattern: '^fc_' }, status: { enum: ['in_progress', 'completed', 'incomplete'] } },
);
const reasoningItem = closed(
  { type: { const: 'reasoning' }, id: { type: 'string', pattern: '^rs_' }, summary: { type: 'array' } },
  { encrypted_content: { type: ['string', 'null'] }, content: { type: 'array' }, status: anyText },
);
const functionOutput = closed(
  { type: { const: 'function_call_output' }, call_id: someText, output: { anyOf: [anyText, content] } },
  { id: anyText, status: anyText },
);
const tool = closed(
  {
    type: { const: 'function' },
    name: { type: 'string', pattern: '^[\\w-]{1,64}$' },
    parameters: toolSchema,
    strict: { type: 'boolean' },
  },
  { description: anyText },
);
const jsonFormat = closed(
  { type: { const: 'json_schema' }, name: { type: 'string', pattern: '^[\\w-]{1,64}$' }, schema: { type: 'object' } },
  { strict: { type: ['boolean', 'null'] }, description: anyText },
);

/** Request schema of the Responses API, as its provider documents it (openai package, resources/responses). */
export const responsesSchema = closed(
  {
    model: someText,
    input: {
      type: 'array',
      minItems: 1,
      items: { anyOf: [userMessage, outputMessage, functionCall, reasoningItem, functionOutput] },
    },
  },
  {
    instructions: anyText,
    max_output_tokens: { type: 'integer', minimum: 16 },
    store: { type: 'boolean' },
    include: { type: 'array', items: { enum: ['reasoning.encrypted_content'] } },
    tools: { type: 'array', minItems: 1, items: tool },
    tool_choice: { enum: ['none', 'auto', 'required'] },
    text: closed({ format: jsonFormat }),
    reasoning: closed(
      {},
      {
        effort: { enum: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] },
        summary: { enum: ['auto', 'concise', 'detailed'] },
      },
    ),
  },
);
