import type { GenerateContentParameters } from '@google/genai';
import type { JsonObject } from '#lib/json.ts';
import type { ModelMessage, ModelPart, ModelRequest, ToolResult } from '../../../model/model-call.ts';
import { objectsOf } from '../shared/json-values.ts';
import { type SchemaDialect, schemaFits } from '../shared/schema-fits.ts';
import { type ImagePart, base64Of, imagesOf, textOfParts } from '../shared/text-of-parts.ts';
import { toldSchema } from '../shared/told-schema.ts';
import { withControls } from '../shared/with-controls.ts';
import type { WireTarget } from '../wire.ts';
import { isGivenId } from './call-id.ts';

/** What it takes of JSON Schema as the schema of a reply. */
const dialect: SchemaDialect = {
  keywords:
    'type format title description enum items prefixItems minItems maxItems minimum maximum anyOf oneOf properties additionalProperties required $defs $ref'.split(
      ' ',
    ),
  closed: false,
  allRequired: false,
};
const modes = { auto: 'AUTO', required: 'ANY', none: 'NONE' } as const;

/** A request of the generateContent wire, as its client takes it. */
export function toRequest(request: ModelRequest, target: WireTarget): GenerateContentParameters {
  const { system, tools, outputSchema: schema } = request;
  // Not every model takes a schema of its reply beside tools.
  const native = target.nativeOutput && tools.length === 0 && schema !== null && schemaFits(schema, dialect);
  const config = {
    systemInstruction: native ? system : toldSchema(system, schema),
    maxOutputTokens: request.maxOutputTokens,
    ...toolsOf(request),
    ...(native ? { responseMimeType: 'application/json', responseJsonSchema: schema } : {}),
  };
  const whole = { model: target.model, contents: request.messages.flatMap(contentsOf), config };
  return { ...whole, config: withControls(config, target.controls) };
}

function toolsOf({ tools, toolChoice }: ModelRequest): JsonObject {
  if (tools.length === 0) return {};
  const functionDeclarations = tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: parameters,
  }));
  return { tools: [{ functionDeclarations }], toolConfig: { functionCallingConfig: { mode: modes[toolChoice] } } };
}

/** What a reply is sent as that had nothing to show: the provider takes no empty turn. */
const nothingSaid: readonly JsonObject[] = [{ text: '(no answer)' }];

function contentsOf(message: ModelMessage): readonly JsonObject[] {
  if (message.role === 'user') return [{ role: 'user', parts: message.parts.map(partOf) }];
  if (message.role === 'tools')
    return [{ role: 'user', parts: message.results.map(resultOf) }, ...picturesOf(message.results)];
  const parts = objectsOf(message.reply.replay);
  return [{ role: 'model', parts: parts.length === 0 ? [...nothingSaid] : [...parts] }];
}

function partOf(part: ModelPart): JsonObject {
  return part.kind === 'text' ? { text: part.text } : pictureOf(part);
}

function pictureOf(part: ImagePart): JsonObject {
  return { inlineData: { mimeType: part.mediaType, data: base64Of(part) } };
}

function resultOf({ callId, name, parts, isError }: ToolResult): JsonObject {
  const id = isGivenId(callId) ? { id: callId } : {};
  return { functionResponse: { ...id, name, response: { [isError ? 'error' : 'output']: textOfParts(parts) } } };
}

/** Pictures of tools follow in a turn of their own: not every model takes them within a response of a function. */
function picturesOf(results: readonly ToolResult[]): readonly JsonObject[] {
  const shown = results.filter(({ parts }) => imagesOf(parts).length > 0);
  if (shown.length === 0) return [];
  const parts = shown.flatMap((result) => [
    { text: `Pictures of ${result.name}:` },
    ...imagesOf(result.parts).map(pictureOf),
  ]);
  return [{ role: 'user', parts }];
}
