import type { Anthropic } from '@anthropic-ai/sdk';
import { isJsonObject, type JsonObject } from '#lib/json.ts';
import type { ModelMessage, ModelPart, ModelRequest, ToolResult } from '../../../model/model-call.ts';
import { objectsOf } from '../shared/json-values.ts';
import { type SchemaDialect, schemaFits } from '../shared/schema-fits.ts';
import { base64Of } from '../shared/text-of-parts.ts';
import { toldSchema } from '../shared/told-schema.ts';
import { withControls } from '../shared/with-controls.ts';
import type { WireTarget } from '../wire.ts';

type Body = Anthropic.MessageCreateParamsNonStreaming;

/** What it takes of JSON Schema as the format of a reply. */
const dialect: SchemaDialect = {
  keywords:
    'type title description properties required additionalProperties items enum const anyOf $defs $ref default'.split(
      ' ',
    ),
  closed: true,
  allRequired: false,
};

/** A request of the Messages wire. */
export function toRequest(request: ModelRequest, target: WireTarget): Body {
  const { system, outputSchema: schema } = request;
  const native = target.nativeOutput && schema !== null && schemaFits(schema, dialect);
  const { controls } = target;
  const body: Body = {
    model: target.model,
    system: native ? system : toldSchema(system, schema),
    messages: request.messages.map((message) => toMessage(message, target.replaysThinking)),
    max_tokens: request.maxOutputTokens,
    ...toolsOf(request, isThinkingOff(controls)),
    ...(native ? { output_config: { format: { type: 'json_schema', schema } } } : {}),
  };
  return withControls(body, controls);
}

function isThinkingOff({ thinking }: JsonObject): boolean {
  return isJsonObject(thinking) && thinking['type'] === 'disabled';
}

/** A model that thinks cannot be made to call a tool; whether one thinks that is told nothing of it differs from model to model. */
function toolsOf({ tools, toolChoice }: ModelRequest, canInsist: boolean): Pick<Body, 'tools' | 'tool_choice'> {
  if (tools.length === 0) return {};
  const insists = toolChoice === 'required' && canInsist;
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: { ...parameters, type: 'object' },
    })),
    tool_choice: { type: insists ? 'any' : toolChoice === 'none' ? 'none' : 'auto' },
  };
}

function toMessage(message: ModelMessage, replaysThinking: boolean): Anthropic.MessageParam {
  if (message.role === 'user') return { role: 'user', content: message.parts.map(blockOf) };
  if (message.role === 'tools') return { role: 'user', content: message.results.map(resultOf) };
  return { role: 'assistant', content: replayed(message.reply.replay, replaysThinking) };
}

type Replay = Extract<ModelMessage, { readonly role: 'model' }>['reply']['replay'];

/** What a reply is sent as that had nothing to show: the provider takes no empty turn. */
const nothingSaid: Anthropic.ContentBlockParam[] = [{ type: 'text', text: '(no answer)' }];

function replayed(replay: Replay, withThinking: boolean): Anthropic.ContentBlockParam[] {
  const blocks = objectsOf(replay).filter(
    ({ type }) => withThinking || (type !== 'thinking' && type !== 'redacted_thinking'),
  );
  if (!blocks.some(({ type }) => type === 'text' || type === 'tool_use')) return nothingSaid;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- blocks that this wire kept of an answer of the provider
  return blocks as unknown as Anthropic.ContentBlockParam[];
}

function blockOf(part: ModelPart): Anthropic.TextBlockParam | Anthropic.ImageBlockParam {
  return part.kind === 'text'
    ? { type: 'text', text: part.text }
    : { type: 'image', source: { type: 'base64', media_type: part.mediaType, data: base64Of(part) } };
}

function resultOf({ callId, parts, isError }: ToolResult): Anthropic.ToolResultBlockParam {
  return {
    type: 'tool_result',
    tool_use_id: callId,
    content: parts.filter(isSomething).map(blockOf),
    is_error: isError,
  };
}

/** The provider takes no block of empty text. */
function isSomething(part: ModelPart): boolean {
  return part.kind === 'image' || part.text !== '';
}
