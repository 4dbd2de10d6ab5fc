import type { OpenAI } from 'openai';
import { loadOptional } from '#contract/load-optional.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import type {
  ModelMessage,
  ModelPart,
  ModelReply,
  ModelRequest,
  ModelUsage,
  ToolCall,
  ToolResult,
} from '../../model/model-call.ts';
import type { Fault } from '../exchange.ts';
import { getCount, getObject, getObjects, parseArguments, pick, getText } from './answer-parts.ts';
import {
  getDataUrl,
  type ImagePart,
  getImages,
  schemaFits,
  strictSchema,
  joinTexts,
  withSchemaText,
  withControls,
} from './request-parts.ts';
import type { Reading, ProviderApi, WireTarget } from './provider-api.ts';

/**
 * Creates the adapter of the chat completions API in the dialect of a provider. Its settings replace the environment
 * variables of the SDK, except the variable of headers, which `createWire` of `model-client.ts` removes.
 */
export async function createWire(target: WireTarget, dialect: Dialect): Promise<ProviderApi> {
  const { OpenAI } = await loadOptional('openai', () => import('openai'));
  const { apiKey, baseUrl: baseURL } = target;
  const settings = { apiKey, baseURL, organization: null, project: null, maxRetries: 0, logLevel: 'off' } as const;
  return {
    async send(request, fetch) {
      await new OpenAI({ ...settings, fetch }).chat.completions.create(toRequest(request, target, dialect));
    },
    read: readAnswer,
  };
}

type Body = OpenAI.ChatCompletionCreateParamsNonStreaming;
type Message = OpenAI.ChatCompletionMessageParam;

/** Builds a chat completions request in the dialect of its provider. */
function toRequest(request: ModelRequest, target: WireTarget, dialect: Dialect): Body {
  const { system, outputSchema: schema, maxOutputTokens } = request;
  const native = target.nativeOutput && schema?.['type'] === 'object';
  const body: Body = {
    model: target.model,
    messages: [
      { role: 'system', content: native ? system : withSchemaText(system, schema) },
      ...request.messages.flatMap(getMessages),
    ],
    ...(dialect.tokens === 'max_tokens' ? { max_tokens: maxOutputTokens } : { max_completion_tokens: maxOutputTokens }),
    ...getTools(request, dialect),
    ...(native
      ? {
          response_format: {
            type: 'json_schema',
            json_schema: { name: 'output', schema, strict: schemaFits(schema, strictSchema) },
          },
        }
      : {}),
  };
  return withControls(withControls(body, { ...dialect.always }), target.controls);
}

/**
 * Returns tools and tool choice. If the provider does not support the requested choice, returns no tools for `none`,
 * and otherwise the choice `auto`, or no choice if the provider does not support `auto` either.
 */
function getTools({ tools, toolChoice }: ModelRequest, { toolChoices }: Dialect): Pick<Body, 'tools' | 'tool_choice'> {
  if (tools.length === 0 || (toolChoice === 'none' && !toolChoices.includes('none'))) return {};
  const choice = [toolChoice, 'auto' as const].find((one) => toolChoices.includes(one));
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description, parameters },
    })),
    ...(choice === undefined ? {} : { tool_choice: choice }),
  };
}

function getMessages(message: ModelMessage): Message[] {
  if (message.role === 'user') return [{ role: 'user', content: getContent(message.parts) }];
  if (message.role === 'tools') return [...message.results.map(getResult), ...getPictures(message.results)];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a message that this wire kept of an answer of the provider
  return [message.reply.replay as unknown as Message];
}

/**
 * Returns the content of a user message. Returns one string when there is only text, because models without image input
 * accept no list; otherwise a list.
 */
function getContent(parts: readonly ModelPart[]): string | OpenAI.ChatCompletionContentPart[] {
  if (parts.every(({ kind }) => kind === 'text')) return joinTexts(parts);
  return parts.map((part) => (part.kind === 'text' ? { type: 'text', text: part.text } : getPicture(part)));
}

function getPicture(part: ImagePart): OpenAI.ChatCompletionContentPartImage {
  return { type: 'image_url', image_url: { url: getDataUrl(part) } };
}

function getResult({ callId, parts, isError }: ToolResult): Message {
  const text = joinTexts(parts);
  return { role: 'tool', tool_call_id: callId, content: isError ? `Error: ${text}` : text };
}

/** Returns pictures of tool results as a user message, because tool results of this API are text. */
function getPictures(results: readonly ToolResult[]): Message[] {
  const shown = results.filter(({ parts }) => getImages(parts).length > 0);
  if (shown.length === 0) return [];
  const content = shown.flatMap(({ name, parts }) => [
    { type: 'text' as const, text: `Pictures of ${name}:` },
    ...getImages(parts).map(getPicture),
  ]);
  return [{ role: 'user', content }];
}

/**
 * Members of a message that a provider expects in the next request, including the names that different providers give
 * to reasoning.
 */
const replayedMembers = ['content', 'tool_calls', 'reasoning_content', 'reasoning_details'];
const ends: Readonly<Record<string, ModelReply['end']>> = {
  length: 'length',
  content_filter: 'refused',
  sensitive: 'refused',
};
/**
 * Kinds of failure by status code of `base_resp`. A provider reports such failures in responses with a success status.
 */
const statusCodes: Readonly<Record<number, Fault['kind']>> = {
  1002: 'rate-limited',
  1004: 'unauthorised',
  1008: 'out-of-credit',
  1039: 'rate-limited',
  2013: 'bad-request',
  2049: 'unauthorised',
};

/** Reads a chat completions response. */
function readAnswer(answer: JsonObject): Reading {
  const usage = getFigures(getObject(answer['usage']));
  const code = getCount(getObject(answer['base_resp'])['status_code']) ?? 0;
  if (code !== 0) return { ok: false, kind: statusCodes[code] ?? 'overloaded', usage };
  const [choice] = getObjects(answer['choices']);
  const message = choice?.['message'];
  if (choice === undefined || !isJsonObject(message)) return { ok: false, kind: 'garbled', usage };
  if (choice['finish_reason'] === 'network_error') return { ok: false, kind: 'overloaded', usage };
  const toolCalls = getObjects(message['tool_calls']).map(getCall);
  const refusal = getText(message['refusal']);
  const text = withoutThoughts(getText(message['content']));
  const end = ends[getText(choice['finish_reason'])] ?? (toolCalls.length > 0 ? 'tools' : 'done');
  return {
    ok: true,
    reply: {
      text: text === '' ? refusal : text,
      toolCalls,
      end: refusal === '' ? end : 'refused',
      replay: getReplay(message),
    },
    usage,
  };
}

/** Returns the token usage; null if a count is missing. Some providers include reasoning tokens only in the total. */
function getFigures(figures: JsonObject): ModelUsage | null {
  const inputTokens = getCount(figures['prompt_tokens']);
  const said = getCount(figures['completion_tokens']);
  if (inputTokens === null || said === null) return null;
  const total = getCount(figures['total_tokens']) ?? 0;
  return { inputTokens, outputTokens: Math.max(said, total - inputTokens) };
}

function getCall(call: JsonObject): ToolCall {
  const { name, arguments: given } = getObject(call['function']);
  return {
    id: getText(call['id']),
    name: getText(name),
    input: isJsonObject(given) ? given : parseArguments(getText(given)),
  };
}

/** Removes thoughts that some models write before their answer. */
function withoutThoughts(text: string): string {
  return text.replace(/^\s*<think>[\s\S]*?<\/think>\s*/, '');
}

function getReplay(message: JsonObject): JsonValue {
  const kept = pick(message, replayedMembers);
  const calls = getObjects(message['tool_calls']).map(withReadableArguments);
  const { tool_calls: _asGiven, content = '', ...rest } = kept;
  const isEmpty = calls.length === 0 && getText(content) === '';
  return {
    role: 'assistant',
    content: isEmpty ? '(no answer)' : content,
    ...rest,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/**
 * Replaces invalid arguments of a tool call by an empty object, because providers reject requests with invalid
 * arguments, even if their own model wrote them.
 */
function withReadableArguments(call: JsonObject): JsonObject {
  const { input } = getCall(call);
  const { name } = getObject(call['function']);
  return { ...pick(call, ['id', 'type']), function: { name: getText(name), arguments: JSON.stringify(input ?? {}) } };
}

/** Differences of a provider from other chat completions APIs: a row of spec/rules/providers.yaml. */
export type Dialect = RuleBook['providers']['dialects'][number];
