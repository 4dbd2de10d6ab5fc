import type { OpenAI } from 'openai';
import type { ModelMessage, ModelPart, ModelRequest, ToolResult } from '../../../model/model-call.ts';
import { schemaFits } from '../shared/schema-fits.ts';
import { strictSchema } from '../shared/strict-schema.ts';
import { type ImagePart, dataUrlOf, imagesOf, textOfParts } from '../shared/text-of-parts.ts';
import { toldSchema } from '../shared/told-schema.ts';
import { withControls } from '../shared/with-controls.ts';
import type { WireTarget } from '../wire.ts';
import type { Dialect } from './dialect.ts';

type Body = OpenAI.ChatCompletionCreateParamsNonStreaming;
type Message = OpenAI.ChatCompletionMessageParam;

/** A request of the chat-completions wire, in the dialect of its provider. */
export function toRequest(request: ModelRequest, target: WireTarget, dialect: Dialect): Body {
  const { system, outputSchema: schema, maxOutputTokens } = request;
  const native = target.nativeOutput && schema?.['type'] === 'object';
  const body: Body = {
    model: target.model,
    messages: [
      { role: 'system', content: native ? system : toldSchema(system, schema) },
      ...request.messages.flatMap(messagesOf),
    ],
    ...(dialect.tokens === 'max_tokens' ? { max_tokens: maxOutputTokens } : { max_completion_tokens: maxOutputTokens }),
    ...toolsOf(request, dialect),
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

/** Where a provider cannot be told that a tool must not be called it is offered none; where it cannot be told that one must, it may. */
function toolsOf({ tools, toolChoice }: ModelRequest, { toolChoices }: Dialect): Pick<Body, 'tools' | 'tool_choice'> {
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

function messagesOf(message: ModelMessage): Message[] {
  if (message.role === 'user') return [{ role: 'user', content: contentOf(message.parts) }];
  if (message.role === 'tools') return [...message.results.map(resultOf), ...picturesOf(message.results)];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a message that this wire kept of an answer of the provider
  return [message.reply.replay as unknown as Message];
}

/** One text where there is nothing else: models without eyes take no list. */
function contentOf(parts: readonly ModelPart[]): string | OpenAI.ChatCompletionContentPart[] {
  if (parts.every(({ kind }) => kind === 'text')) return textOfParts(parts);
  return parts.map((part) => (part.kind === 'text' ? { type: 'text', text: part.text } : pictureOf(part)));
}

function pictureOf(part: ImagePart): OpenAI.ChatCompletionContentPartImage {
  return { type: 'image_url', image_url: { url: dataUrlOf(part) } };
}

function resultOf({ callId, parts, isError }: ToolResult): Message {
  const text = textOfParts(parts);
  return { role: 'tool', tool_call_id: callId, content: isError ? `Error: ${text}` : text };
}

/** Pictures of tools follow as a user's: results of tools are text on this wire. */
function picturesOf(results: readonly ToolResult[]): Message[] {
  const shown = results.filter(({ parts }) => imagesOf(parts).length > 0);
  if (shown.length === 0) return [];
  const content = shown.flatMap(({ name, parts }) => [
    { type: 'text' as const, text: `Pictures of ${name}:` },
    ...imagesOf(parts).map(pictureOf),
  ]);
  return [{ role: 'user', content }];
}
