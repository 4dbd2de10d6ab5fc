import type { GenerateContentParameters } from '@google/genai';
import { loadOptional } from '#contract/load-optional.ts';
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
import { getCount, getObject, getObjects, pick, getText, getUsage } from './answer-parts.ts';
import {
  getBase64,
  type ImagePart,
  getImages,
  type SchemaDialect,
  schemaFits,
  joinTexts,
  withSchemaText,
  withControls,
} from './request-parts.ts';
import type { Reading, ProviderApi, WireTarget } from './provider-api.ts';

/** API version that includes preview models. */
const apiVersion = 'v1beta';

/** Creates the adapter of the generateContent API. It ignores environment variables that the SDK would read. */
export async function createWire(target: WireTarget): Promise<ProviderApi> {
  const { GoogleGenAI } = await loadOptional('google', () => import('@google/genai'));
  const { apiKey, baseUrl } = target;
  return {
    async send(request, fetch) {
      const client = new GoogleGenAI({ apiKey, vertexai: false, apiVersion, httpOptions: { baseUrl, fetch } });
      await client.models.generateContent(toRequest(request, target));
    },
    read: readAnswer,
  };
}

/** Supported JSON Schema keywords for the schema of a reply. */
const dialect: SchemaDialect = {
  keywords:
    'type format title description enum items prefixItems minItems maxItems minimum maximum anyOf oneOf properties additionalProperties required $defs $ref'.split(
      ' ',
    ),
  closed: false,
  allRequired: false,
};
const modes = { auto: 'AUTO', required: 'ANY', none: 'NONE' } as const;

/** Builds the parameters of a generateContent request. */
function toRequest(request: ModelRequest, target: WireTarget): GenerateContentParameters {
  const { system, tools, outputSchema: schema } = request;
  // Not every model accepts a response schema together with tools.
  const native = target.nativeOutput && tools.length === 0 && schema !== null && schemaFits(schema, dialect);
  const config = {
    systemInstruction: native ? system : withSchemaText(system, schema),
    maxOutputTokens: request.maxOutputTokens,
    ...getTools(request),
    ...(native ? { responseMimeType: 'application/json', responseJsonSchema: schema } : {}),
  };
  const whole = { model: target.model, contents: request.messages.flatMap(getContents), config };
  return { ...whole, config: withControls(config, target.controls) };
}

function getTools({ tools, toolChoice }: ModelRequest): JsonObject {
  if (tools.length === 0) return {};
  const functionDeclarations = tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: parameters,
  }));
  return { tools: [{ functionDeclarations }], toolConfig: { functionCallingConfig: { mode: modes[toolChoice] } } };
}

/** Placeholder for an empty reply, because the provider accepts no empty turn. */
const nothingSaid: readonly JsonObject[] = [{ text: '(no answer)' }];

function getContents(message: ModelMessage): readonly JsonObject[] {
  if (message.role === 'user') return [{ role: 'user', parts: message.parts.map(getPart) }];
  if (message.role === 'tools')
    return [{ role: 'user', parts: message.results.map(getResult) }, ...getPictures(message.results)];
  const parts = getObjects(message.reply.replay);
  return [{ role: 'model', parts: parts.length === 0 ? [...nothingSaid] : [...parts] }];
}

function getPart(part: ModelPart): JsonObject {
  return part.kind === 'text' ? { text: part.text } : getPicture(part);
}

function getPicture(part: ImagePart): JsonObject {
  return { inlineData: { mimeType: part.mediaType, data: getBase64(part) } };
}

function getResult({ callId, name, parts, isError }: ToolResult): JsonObject {
  const id = isGivenId(callId) ? { id: callId } : {};
  return { functionResponse: { ...id, name, response: { [isError ? 'error' : 'output']: joinTexts(parts) } } };
}

/**
 * Returns pictures of tool results as a separate turn, because not every model accepts them within a function response.
 */
function getPictures(results: readonly ToolResult[]): readonly JsonObject[] {
  const shown = results.filter(({ parts }) => getImages(parts).length > 0);
  if (shown.length === 0) return [];
  const parts = shown.flatMap((result) => [
    { text: `Pictures of ${result.name}:` },
    ...getImages(result.parts).map(getPicture),
  ]);
  return [{ role: 'user', parts }];
}

const refusals = ['SAFETY', 'RECITATION', 'LANGUAGE', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'IMAGE_SAFETY'];

/** Reads a generateContent response. Thoughts count as output, and tool use tokens as input. */
function readAnswer(answer: JsonObject): Reading {
  const usage = getFigures(answer['usageMetadata']);
  const [candidate] = getObjects(answer['candidates']);
  if (candidate === undefined) {
    const isBlocked = 'blockReason' in getObject(answer['promptFeedback']);
    if (!isBlocked) return { ok: false, kind: 'garbled', usage };
    return { ok: true, reply: { text: '', toolCalls: [], end: 'refused', replay: [] }, usage };
  }
  const parts = getObjects(getObject(candidate['content'])['parts']);
  const calls = parts.flatMap(({ functionCall }) => (isJsonObject(functionCall) ? [functionCall] : []));
  const toolCalls = calls.map(getCall);
  const text = parts
    .filter(({ thought }) => thought !== true)
    .map((part) => getText(part['text']))
    .join('');
  const end = getEnd(getText(candidate['finishReason']), toolCalls.length > 0);
  return { ok: true, reply: { text, toolCalls, end, replay: parts.filter(isReplayed).map(getReplay) }, usage };
}

function getFigures(value: JsonValue | undefined): ModelUsage | null {
  if (!isJsonObject(value)) return null;
  const count = (member: string): number | null => getCount(value[member] ?? 0);
  return 'promptTokenCount' in value
    ? getUsage(
        [count('promptTokenCount'), count('toolUsePromptTokenCount')],
        [count('candidatesTokenCount'), count('thoughtsTokenCount')],
      )
    : null;
}

function getCall({ id, name, args }: JsonObject, index: number): ToolCall {
  const given = getText(id);
  return { id: given === '' ? makeId(index) : given, name: getText(name), input: getInput(args) };
}

/** Returns the arguments of a call; null if they are no object. A call without arguments has no member `args`. */
function getInput(args: JsonValue | undefined): JsonObject | null {
  if (args === undefined) return {};
  return isJsonObject(args) ? args : null;
}

/**
 * Returns whether a part belongs in the next request: calls, text and parts with a signature. Thought summaries are for
 * people only.
 */
function isReplayed({ thought, thoughtSignature, text, functionCall }: JsonObject): boolean {
  if (thoughtSignature !== undefined || isJsonObject(functionCall)) return true;
  return thought !== true && getText(text) !== '';
}

function getReplay(part: JsonObject): JsonObject {
  return pick(part, ['text', 'thought', 'thoughtSignature', 'functionCall']);
}

function getEnd(reason: string, callsTools: boolean): ModelReply['end'] {
  if (refusals.includes(reason)) return 'refused';
  if (reason === 'MAX_TOKENS') return 'length';
  return callsTools ? 'tools' : 'done';
}

const made = 'unnamed-';

/** Returns an id for a call without an id, made from its index among the calls of the response. */
function makeId(index: number): string {
  return `${made}${index}`;
}

/** Returns whether the provider itself assigned an id and expects it in the next request. */
function isGivenId(id: string): boolean {
  return !id.startsWith(made);
}
