import type { OpenAI } from 'openai';
import { loadOptional } from '#contract/load-optional.ts';
import type { JsonObject } from '#lib/json.ts';
import type {
  ModelMessage,
  ModelPart,
  ModelReply,
  ModelRequest,
  ToolCall,
  ToolResult,
} from '../../model/model-call.ts';
import { errorWords } from '../fault.ts';
import { countOf, objectOf, objectsOf, parseArguments, textOf, usageOf } from './answer-parts.ts';
import {
  dataUrlOf,
  imagesOf,
  schemaFits,
  strictSchema,
  textOfParts,
  withSchemaText,
  withControls,
} from './request-parts.ts';
import type { Reading, ProviderApi, WireTarget } from './provider-api.ts';

/** Creates the adapter of the Responses API. It ignores environment variables that the SDK would read. */
export async function createWire(target: WireTarget): Promise<ProviderApi> {
  const { OpenAI } = await loadOptional('openai', () => import('openai'));
  const { apiKey, baseUrl: baseURL } = target;
  const settings = { apiKey, baseURL, organization: null, project: null, maxRetries: 0, logLevel: 'off' } as const;
  return {
    async send(request, fetch) {
      await new OpenAI({ ...settings, fetch }).responses.create(toRequest(request, target));
    },
    read: readAnswer,
  };
}

/** Reads a response of the Responses API. Its output tokens include reasoning. */
function readAnswer(answer: JsonObject): Reading {
  const figures = objectOf(answer['usage']);
  const usage = usageOf([countOf(figures['input_tokens'])], [countOf(figures['output_tokens'])]);
  if (answer['status'] === 'failed')
    return { ok: false, kind: /rate_limit/.test(errorWords(answer)) ? 'rate-limited' : 'overloaded', usage };
  const items = objectsOf(answer['output']);
  const contents = items.filter(({ type }) => type === 'message').flatMap(({ content }) => objectsOf(content));
  const toolCalls = items.filter(({ type }) => type === 'function_call').map(callOf);
  const refusals = contents.filter(({ type }) => type === 'refusal');
  const text = contents.map((content) => textOf(content['text'])).join('');
  const end = endOf(answer, { isRefusal: refusals.length > 0, callsTools: toolCalls.length > 0 });
  if (items.length === 0 && end === 'done') return { ok: false, kind: 'garbled', usage };
  const said = text === '' ? refusals.map(({ refusal }) => textOf(refusal)).join('') : text;
  return { ok: true, reply: { text: said, toolCalls, end, replay: items.filter(isReplayed) }, usage };
}

function callOf(item: JsonObject): ToolCall {
  return { id: textOf(item['call_id']), name: textOf(item['name']), input: parseArguments(textOf(item['arguments'])) };
}

/**
 * Returns whether an item belongs into the next request. Since nothing is stored, reasoning is included only in
 * encrypted form.
 */
function isReplayed({ type, encrypted_content: sealed }: JsonObject): boolean {
  return type === 'message' || type === 'function_call' || (type === 'reasoning' && typeof sealed === 'string');
}

function endOf(
  answer: JsonObject,
  { isRefusal, callsTools }: { readonly isRefusal: boolean; readonly callsTools: boolean },
): ModelReply['end'] {
  const { reason } = objectOf(answer['incomplete_details']);
  if (isRefusal || reason === 'content_filter') return 'refused';
  if (answer['status'] === 'incomplete') return 'length';
  return callsTools ? 'tools' : 'done';
}

type Body = OpenAI.Responses.ResponseCreateParamsNonStreaming;
type Item = OpenAI.Responses.ResponseInputItem;

/** Minimum of max_output_tokens. */
const outputTokensMin = 16;

/**
 * Builds a request of the Responses API. The provider stores nothing; required earlier items are part of each request.
 */
function toRequest(request: ModelRequest, target: WireTarget): Body {
  const { system, messages, outputSchema: schema } = request;
  const native = target.nativeOutput && schema?.['type'] === 'object';
  const body: Body = {
    model: target.model,
    instructions: native ? system : withSchemaText(system, schema),
    input: messages.flatMap(itemsOf),
    max_output_tokens: Math.max(outputTokensMin, request.maxOutputTokens),
    store: false,
    ...(target.reasons ? { include: ['reasoning.encrypted_content'] } : {}),
    ...toolsOf(request),
    ...(native
      ? { text: { format: { type: 'json_schema', name: 'output', schema, strict: schemaFits(schema, strictSchema) } } }
      : {}),
  };
  return withControls(body, target.controls);
}

function toolsOf({ tools, toolChoice }: ModelRequest): Pick<Body, 'tools' | 'tool_choice'> {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function',
      name,
      description,
      parameters,
      strict: false,
    })),
    tool_choice: toolChoice,
  };
}

function itemsOf(message: ModelMessage): Item[] {
  if (message.role === 'user') return [{ type: 'message', role: 'user', content: message.parts.map(contentOf) }];
  if (message.role === 'tools') return message.results.map(resultOf);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- items that this wire kept of an answer of the provider
  return message.reply.replay as unknown as Item[];
}

function contentOf(part: ModelPart): OpenAI.Responses.ResponseInputText | OpenAI.Responses.ResponseInputImage {
  return part.kind === 'text'
    ? { type: 'input_text', text: part.text }
    : { type: 'input_image', image_url: dataUrlOf(part), detail: 'auto' };
}

function resultOf({ callId, parts, isError }: ToolResult): Item {
  const text = isError ? `Error: ${textOfParts(parts)}` : textOfParts(parts);
  const images = imagesOf(parts);
  const output = images.length === 0 ? text : [{ type: 'input_text' as const, text }, ...images.map(contentOf)];
  return { type: 'function_call_output', call_id: callId, output };
}
