import type { JsonObject } from '#lib/json.ts';
import type { Api } from './judge-request.ts';

/** Contents of a correct response of the stub. */
export interface Said {
  readonly text?: string;
  /** A tool call with its arguments. */
  readonly call?: { readonly id: string; readonly name: string; readonly arguments: JsonObject };
  /** True if the response includes reasoning that belongs into the next request. */
  readonly thinks?: boolean;
}

/** Tokens of every good response: 11 of input, 7 of output. */
export const goodUsage = { inputTokens: 11, outputTokens: 7 };
const signature = 'c2lnbmVk';

/** For each API, a function that creates a complete response in its format. */
export const goodAnswers: Readonly<Record<Api, (said: Said) => JsonObject>> = {
  'openai-responses': ({ text, call, thinks }) => ({
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    error: null,
    incomplete_details: null,
    output: [
      ...(thinks === true ? [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: signature }] : []),
      ...(text === undefined
        ? []
        : [
            {
              type: 'message',
              id: 'msg_1',
              role: 'assistant',
              status: 'completed',
              content: [{ type: 'output_text', text, annotations: [] }],
            },
          ]),
      ...(call === undefined
        ? []
        : [
            {
              type: 'function_call',
              id: 'fc_1',
              call_id: call.id,
              name: call.name,
              arguments: JSON.stringify(call.arguments),
              status: 'completed',
            },
          ]),
    ],
    usage: {
      input_tokens: 11,
      input_tokens_details: { cached_tokens: 3 },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 2 },
      total_tokens: 18,
    },
  }),
  'anthropic-messages': ({ text, call, thinks }) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [
      ...(thinks === true
        ? [
            { type: 'thinking', thinking: 'Hm.', signature },
            { type: 'redacted_thinking', data: signature },
          ]
        : []),
      ...(text === undefined ? [] : [{ type: 'text', text, citations: null }]),
      ...(call === undefined ? [] : [{ type: 'tool_use', id: call.id, name: call.name, input: call.arguments }]),
    ],
    stop_reason: call === undefined ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 6, cache_creation_input_tokens: 2, cache_read_input_tokens: 3, output_tokens: 7 },
  }),
  'google-generate-content': ({ text, call, thinks }) => ({
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            ...(thinks === true ? [{ text: 'Hm.', thought: true }] : []),
            ...(text === undefined ? [] : [{ text }]),
            ...(call === undefined
              ? []
              : [
                  {
                    functionCall: { id: call.id, name: call.name, args: call.arguments },
                    ...(thinks === true ? { thoughtSignature: signature } : {}),
                  },
                ]),
          ],
        },
        finishReason: 'STOP',
        index: 0,
      },
    ],
    usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 5, thoughtsTokenCount: 2, totalTokenCount: 18 },
    modelVersion: 'some',
  }),
  'chat-completions': ({ text, call, thinks }) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'some',
    choices: [
      {
        index: 0,
        finish_reason: call === undefined ? 'stop' : 'tool_calls',
        message: {
          role: 'assistant',
          content: text ?? null,
          ...(thinks === true ? { reasoning_content: 'Hm.' } : {}),
          ...(call === undefined
            ? {}
            : {
                tool_calls: [
                  {
                    id: call.id,
                    index: 0,
                    type: 'function',
                    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
                  },
                ],
              }),
        },
      },
    ],
    usage: {
      prompt_tokens: 11,
      completion_tokens: 5,
      total_tokens: 18,
      completion_tokens_details: { reasoning_tokens: 2 },
    },
  }),
};
