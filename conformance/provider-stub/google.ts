import { type JsonObject, type JsonValue, isJsonObject, memberAt, toText } from '../core/json.ts';
import { spelledAt } from './spelled.ts';
import { type Offer, type Wire, usage } from './wire.ts';

/** The Gemini protocol: `POST .../models/<name>:generateContent` and `:streamGenerateContent`. */
export const googleWire: Wire = {
  offer: (body) => ({
    tools: readTools(body),
    toolChoice: readToolChoice(body),
    schema:
      spelledAt(body, 'generationConfig.responseJsonSchema') ??
      spelledAt(body, 'generationConfig.responseSchema') ??
      anyObjectSchema(body),
  }),
  answer: (saying, { model, index }) => {
    const part = 'text' in saying ? { text: saying.text } : { functionCall: { name: saying.tool, args: saying.input } };
    return {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: {
        promptTokenCount: usage.input,
        candidatesTokenCount: usage.output,
        totalTokenCount: usage.input + usage.output,
      },
      modelVersion: model,
      responseId: `response-${index}`,
    };
  },
  events: (answer) => [{ data: answer }],
  end: '',
  problem: (message) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }),
};

function readTools({ tools }: JsonObject): Offer['tools'] {
  const all = Array.isArray(tools) ? tools : [];
  return all
    .flatMap((tool) => {
      const declared = spelledAt(tool, 'functionDeclarations');
      return Array.isArray(declared) ? declared : [];
    })
    .map((tool) => ({
      name: toText(memberAt(tool, 'name')),
      parameters: spelledAt(tool, 'parametersJsonSchema') ?? memberAt(tool, 'parameters'),
    }));
}

function readToolChoice(body: JsonObject): Offer['toolChoice'] {
  const mode = toText(spelledAt(body, 'toolConfig.functionCallingConfig.mode')).toUpperCase();
  return mode === 'ANY' ? 'must' : 'may';
}

function anyObjectSchema(body: JsonObject): JsonValue | undefined {
  const type = spelledAt(body, 'generationConfig.responseMimeType');
  return type === 'application/json' && isJsonObject(body) ? { type: 'object' } : undefined;
}
