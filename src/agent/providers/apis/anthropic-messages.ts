import type { Anthropic } from '@anthropic-ai/sdk';
import { loadOptional } from '#contract/load-optional.ts';
import { isJsonObject, type JsonObject } from '#lib/json.ts';
import type { ModelMessage, ModelPart, ModelReply, ModelRequest, ToolResult } from '../../model/model-call.ts';
import { getCount, getObject, getObjects, pick, getText, getUsage } from './answer-parts.ts';
import { getBase64, type SchemaDialect, schemaFits, withSchemaText, withControls } from './request-parts.ts';
import type { Reading, ProviderApi, WireTarget } from './provider-api.ts';

/**
 * Creates the adapter of the Messages API. Its settings replace the environment variables of the SDK, except the
 * variable of headers, which `createWire` of `model-client.ts` removes.
 */
export async function createWire(target: WireTarget): Promise<ProviderApi> {
  const { Anthropic } = await loadOptional('anthropic', () => import('@anthropic-ai/sdk'));
  const { apiKey, baseUrl: baseURL } = target;
  const settings = { apiKey, baseURL, authToken: null, maxRetries: 0, logLevel: 'off' } as const;
  return {
    async send(request, fetch) {
      const client = new Anthropic({ ...settings, fetch, timeout: longerThanAnyMs });
      // `messages.create` does the same, but prints deprecation warnings of models to the terminal.
      await client.post('/v1/messages', { body: toRequest(request, target) });
    },
    read: readAnswer,
  };
}

/** Timeout of the SDK in milliseconds: longer than the timeout of an exchange, which applies first. */
const longerThanAnyMs = 600_000;

/** Members of each content block type that the provider expects in the next request; other blocks are omitted. */
const replayedMembers: Readonly<Record<string, readonly string[]>> = {
  text: ['type', 'text'],
  tool_use: ['type', 'id', 'name', 'input'],
  thinking: ['type', 'thinking', 'signature'],
  redacted_thinking: ['type', 'data'],
};

const ends: Readonly<Record<string, ModelReply['end']>> = {
  tool_use: 'tools',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refused',
};

/**
 * Reads a response of the Messages API. Its output tokens include thinking; its separate counts of cached input are
 * added to the input tokens.
 */
function readAnswer(answer: JsonObject): Reading {
  const figures = getObject(answer['usage']);
  const cached = ['cache_creation_input_tokens', 'cache_read_input_tokens'].map((member) =>
    getCount(figures[member] ?? 0),
  );
  const usage = getUsage([getCount(figures['input_tokens']), ...cached], [getCount(figures['output_tokens'])]);
  if (!Array.isArray(answer['content'])) return { ok: false, kind: 'garbled', usage };
  const blocks = getObjects(answer['content']);
  const toolCalls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name, input }) => ({
      id: getText(id),
      name: getText(name),
      input: isJsonObject(input) ? input : null,
    }));
  const text = blocks
    .filter(({ type }) => type === 'text')
    .map((block) => getText(block['text']))
    .join('');
  const end = ends[getText(answer['stop_reason'])] ?? (toolCalls.length > 0 ? 'tools' : 'done');
  return { ok: true, reply: { text, toolCalls, end, replay: blocks.flatMap(getReplay) }, usage };
}

function getReplay(block: JsonObject): readonly JsonObject[] {
  const type = getText(block['type']);
  const members = replayedMembers[type];
  // Some models return blocks without visible text, but no model accepts such blocks.
  if (members === undefined || (type === 'text' && getText(block['text']).trim() === '')) return [];
  const kept = pick(block, members);
  return [type === 'tool_use' ? { ...kept, input: getObject(kept['input']) } : kept];
}

type Body = Anthropic.MessageCreateParamsNonStreaming;

/** Supported JSON Schema keywords for the format of a reply. */
const dialect: SchemaDialect = {
  keywords:
    'type title description properties required additionalProperties items enum const anyOf $defs $ref default'.split(
      ' ',
    ),
  closed: true,
  allRequired: false,
};

/** Builds a request of the Messages API. */
function toRequest(request: ModelRequest, target: WireTarget): Body {
  const { system, outputSchema: schema } = request;
  const native = target.nativeOutput && schema !== null && schemaFits(schema, dialect);
  const { controls } = target;
  const body: Body = {
    model: target.model,
    system: native ? system : withSchemaText(system, schema),
    messages: request.messages.map((message) => toMessage(message, target.replaysThinking)),
    max_tokens: request.maxOutputTokens,
    ...getTools(request, isThinkingOff(controls)),
    ...(native ? { output_config: { format: { type: 'json_schema', schema } } } : {}),
  };
  return withControls(body, controls);
}

function isThinkingOff({ thinking }: JsonObject): boolean {
  return isJsonObject(thinking) && thinking['type'] === 'disabled';
}

/**
 * Returns tools and tool choice. `required` becomes `auto` unless thinking is off, because a reasoning model cannot be
 * forced to call a tool.
 */
function getTools({ tools, toolChoice }: ModelRequest, canInsist: boolean): Pick<Body, 'tools' | 'tool_choice'> {
  if (tools.length === 0) return {};
  const choice = toolChoice === 'none' ? 'none' : 'auto';
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: { ...parameters, type: 'object' },
    })),
    tool_choice: { type: toolChoice === 'required' && canInsist ? 'any' : choice },
  };
}

function toMessage(message: ModelMessage, replaysThinking: boolean): Anthropic.MessageParam {
  if (message.role === 'user') return { role: 'user', content: message.parts.filter(isSomething).map(getBlock) };
  if (message.role === 'tools') return { role: 'user', content: message.results.map(getResult) };
  return { role: 'assistant', content: replayed(message.reply.replay, replaysThinking) };
}

type Replay = Extract<ModelMessage, { readonly role: 'model' }>['reply']['replay'];

/** Placeholder for an empty reply, because the provider accepts no empty turn. */
const nothingSaid: Anthropic.ContentBlockParam[] = [{ type: 'text', text: '(no answer)' }];

function replayed(replay: Replay, withThinking: boolean): Anthropic.ContentBlockParam[] {
  const blocks = getObjects(replay).filter(
    ({ type }) => withThinking || (type !== 'thinking' && type !== 'redacted_thinking'),
  );
  if (!blocks.some(({ type }) => type === 'text' || type === 'tool_use')) return nothingSaid;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- blocks that this wire kept of an answer of the provider
  return blocks as unknown as Anthropic.ContentBlockParam[];
}

function getBlock(part: ModelPart): Anthropic.TextBlockParam | Anthropic.ImageBlockParam {
  return part.kind === 'text'
    ? { type: 'text', text: part.text }
    : { type: 'image', source: { type: 'base64', media_type: part.mediaType, data: getBase64(part) } };
}

function getResult({ callId, parts, isError }: ToolResult): Anthropic.ToolResultBlockParam {
  return {
    type: 'tool_result',
    tool_use_id: callId,
    content: parts.filter(isSomething).map(getBlock),
    is_error: isError,
  };
}

/** Returns whether a part has content, because the provider rejects blocks with only white space. */
function isSomething(part: ModelPart): boolean {
  return part.kind === 'image' || part.text.trim() !== '';
}
