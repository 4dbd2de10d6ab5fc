import type { OpenAI } from 'openai';
import type { ModelMessage, ModelPart, ModelRequest, ToolResult } from '../../../model/model-call.ts';
import { schemaFits } from '../shared/schema-fits.ts';
import { strictSchema } from '../shared/strict-schema.ts';
import { dataUrlOf, imagesOf, textOfParts } from '../shared/text-of-parts.ts';
import { toldSchema } from '../shared/told-schema.ts';
import { withControls } from '../shared/with-controls.ts';
import type { WireTarget } from '../wire.ts';

type Body = OpenAI.Responses.ResponseCreateParamsNonStreaming;
type Item = OpenAI.Responses.ResponseInputItem;

/** The least that the provider takes as max_output_tokens. */
const outputTokensMin = 16;

/** A request of the Responses wire. Nothing is stored at the provider: what it wants to see again goes with each request. */
export function toRequest(request: ModelRequest, target: WireTarget): Body {
  const { system, messages, outputSchema: schema } = request;
  const native = target.nativeOutput && schema?.['type'] === 'object';
  const body: Body = {
    model: target.model,
    instructions: native ? system : toldSchema(system, schema),
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
