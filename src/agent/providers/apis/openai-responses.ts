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
import { errorWords } from '../exchange.ts';
import { getCount, getObject, getObjects, parseArguments, getText, getUsage } from './answer-parts.ts';
import {
  getDataUrl,
  getImages,
  schemaFits,
  strictSchema,
  joinTexts,
  withSchemaText,
  withControls,
} from './request-parts.ts';
import type { Reading, ProviderApi, WireTarget } from './provider-api.ts';

/**
 * Creates the adapter of the Responses API. Its settings replace the environment variables of the SDK, except the
 * variable of headers, which `createWire` of `model-client.ts` removes.
 */
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
  const figures = getObject(answer['usage']);
  const usage = getUsage([getCount(figures['input_tokens'])], [getCount(figures['output_tokens'])]);
  if (answer['status'] === 'failed')
    return { ok: false, kind: /rate_limit/.test(errorWords(answer)) ? 'rate-limited' : 'overloaded', usage };
  const items = getObjects(answer['output']);
  const contents = items.filter(({ type }) => type === 'message').flatMap(({ content }) => getObjects(content));
  const toolCalls = items.filter(({ type }) => type === 'function_call').map(getCall);
  const refusals = contents.filter(({ type }) => type === 'refusal');
  const text = contents.map((content) => getText(content['text'])).join('');
  const end = getEnd(answer, { isRefusal: refusals.length > 0, callsTools: toolCalls.length > 0 });
  if (items.length === 0 && end === 'done') return { ok: false, kind: 'garbled', usage };
  const said = text === '' ? refusals.map(({ refusal }) => getText(refusal)).join('') : text;
  return { ok: true, reply: { text: said, toolCalls, end, replay: getReplay(items) }, usage };
}

function getCall(item: JsonObject): ToolCall {
  return {
    id: getText(item['call_id']),
    name: getText(item['name']),
    input: parseArguments(getText(item['arguments'])),
  };
}

/**
 * Returns the items that belong in the next request. Since the provider stores nothing, reasoning is included only in
 * encrypted form. The provider refuses reasoning at the end, without the message or call that it led to.
 */
function getReplay(items: readonly JsonObject[]): JsonObject[] {
  const last = items.findLastIndex(isOutput);
  return items.filter(
    (item, index) =>
      isOutput(item) || (item['type'] === 'reasoning' && typeof item['encrypted_content'] === 'string' && index < last),
  );
}

function isOutput({ type }: JsonObject): boolean {
  return type === 'message' || type === 'function_call';
}

function getEnd(
  answer: JsonObject,
  { isRefusal, callsTools }: { readonly isRefusal: boolean; readonly callsTools: boolean },
): ModelReply['end'] {
  const { reason } = getObject(answer['incomplete_details']);
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
    input: messages.flatMap(getItems),
    max_output_tokens: Math.max(outputTokensMin, request.maxOutputTokens),
    store: false,
    ...(target.reasons ? { include: ['reasoning.encrypted_content'] } : {}),
    ...getTools(request),
    ...(native
      ? { text: { format: { type: 'json_schema', name: 'output', schema, strict: schemaFits(schema, strictSchema) } } }
      : {}),
  };
  return withControls(body, target.controls);
}

function getTools({ tools, toolChoice }: ModelRequest): Pick<Body, 'tools' | 'tool_choice'> {
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

function getItems(message: ModelMessage): Item[] {
  if (message.role === 'user') return [{ type: 'message', role: 'user', content: message.parts.map(getContent) }];
  if (message.role === 'tools') return message.results.map(getResult);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- items that this wire kept of an answer of the provider
  return message.reply.replay as unknown as Item[];
}

function getContent(part: ModelPart): OpenAI.Responses.ResponseInputText | OpenAI.Responses.ResponseInputImage {
  return part.kind === 'text'
    ? { type: 'input_text', text: part.text }
    : { type: 'input_image', image_url: getDataUrl(part), detail: 'auto' };
}

function getResult({ callId, parts, isError }: ToolResult): Item {
  const text = isError ? `Error: ${joinTexts(parts)}` : joinTexts(parts);
  const images = getImages(parts);
  const output = images.length === 0 ? text : [{ type: 'input_text' as const, text }, ...images.map(getContent)];
  return { type: 'function_call_output', call_id: callId, output };
}
