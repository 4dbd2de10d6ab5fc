import type { JsonObject } from '#lib/json.ts';
import { goodAnswers } from './good-answers.ts';
import type { Api } from './judge-request.ts';

/** A fault in a response that arrives completely. */
export type AnswerFault =
  | 'empty'
  | 'broken-arguments'
  | 'refused'
  | 'cut-short'
  | 'no-usage'
  | 'half-usage'
  | 'vast-usage';

/** The faults in the format of each API. */
export const faultyAnswers: Readonly<Record<Api, Readonly<Record<AnswerFault, JsonObject>>>> = {
  'openai-responses': {
    empty: { ...responses(), output: [] },
    'broken-arguments': {
      ...responses(),
      output: [
        {
          type: 'function_call',
          id: 'fc_1',
          call_id: 'call_1',
          name: 'click',
          arguments: '{"ref": ',
          status: 'completed',
        },
      ],
    },
    refused: {
      ...responses(),
      output: [
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'refusal', refusal: 'No.' }],
        },
      ],
    },
    'cut-short': { ...responses(), status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    'no-usage': { ...responses(), usage: null },
    'half-usage': { ...responses(), usage: { input_tokens: 'many' } },
    'vast-usage': { ...responses(), usage: { input_tokens: 1e12, output_tokens: 1 } },
  },
  'anthropic-messages': {
    empty: { ...messages(), content: null },
    'broken-arguments': {
      ...messages(),
      content: [{ type: 'tool_use', id: 'call_1', name: 'click', input: '{"ref": ' }],
      stop_reason: 'tool_use',
    },
    refused: { ...messages(), content: [], stop_reason: 'refusal' },
    'cut-short': { ...messages(), stop_reason: 'max_tokens' },
    'no-usage': { ...messages(), usage: null },
    'half-usage': { ...messages(), usage: { input_tokens: 6 } },
    'vast-usage': { ...messages(), usage: { input_tokens: 6, output_tokens: 10_000_001 } },
  },
  'google-generate-content': {
    empty: { ...content(), candidates: [] },
    'broken-arguments': {
      ...content(),
      candidates: [
        {
          content: { role: 'model', parts: [{ functionCall: { id: 'call_1', name: 'click', args: '{"ref": ' } }] },
          finishReason: 'STOP',
        },
      ],
    },
    refused: { ...content(), candidates: [], promptFeedback: { blockReason: 'SAFETY' } },
    'cut-short': {
      ...content(),
      candidates: [{ content: { role: 'model', parts: [{ text: 'Done.' }] }, finishReason: 'MAX_TOKENS' }],
    },
    'no-usage': { ...content(), usageMetadata: null },
    'half-usage': { ...content(), usageMetadata: { promptTokenCount: -1 } },
    'vast-usage': { ...content(), usageMetadata: { promptTokenCount: Number.MAX_SAFE_INTEGER } },
  },
  'chat-completions': {
    empty: { ...chat(), choices: [] },
    'broken-arguments': {
      ...chat(),
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'click', arguments: '{"ref": ' } }],
          },
        },
      ],
    },
    refused: {
      ...chat(),
      choices: [{ index: 0, finish_reason: 'content_filter', message: { role: 'assistant', content: null } }],
    },
    'cut-short': {
      ...chat(),
      choices: [{ index: 0, finish_reason: 'length', message: { role: 'assistant', content: 'Done.' } }],
    },
    'no-usage': { ...chat(), usage: null },
    'half-usage': { ...chat(), usage: { prompt_tokens: 11.5, completion_tokens: 7 } },
    'vast-usage': { ...chat(), usage: { prompt_tokens: 1e9, completion_tokens: 7 } },
  },
};

function responses(): JsonObject {
  return goodAnswers['openai-responses']({ text: 'Done.' });
}

function messages(): JsonObject {
  return goodAnswers['anthropic-messages']({ text: 'Done.' });
}

function content(): JsonObject {
  return goodAnswers['google-generate-content']({ text: 'Done.' });
}

function chat(): JsonObject {
  return goodAnswers['chat-completions']({ text: 'Done.' });
}
