import { anyText, base64, closed, someText, toolSchema } from './closed.ts';

const signed = { thoughtSignature: base64 };
const text = closed({ text: someText }, { ...signed, thought: { type: 'boolean' } });
const image = closed({ inlineData: closed({ mimeType: { enum: ['image/jpeg', 'image/png'] }, data: base64 }) });
const call = closed({ functionCall: closed({ name: someText }, { id: someText, args: { type: 'object' } }) }, signed);
const response = closed({
  functionResponse: closed({ name: someText, response: { type: 'object' } }, { id: someText }),
});
const turn = (role: string, parts: readonly object[]): object =>
  closed({ role: { const: role }, parts: { type: 'array', minItems: 1, items: { anyOf: parts } } });
const declaration = closed(
  { name: { type: 'string', pattern: '^[A-Za-z_][\\w.-]{0,63}$' }, description: someText },
  { parametersJsonSchema: toolSchema },
);

/**
 * Request schema of the generateContent API, as its provider documents it (@google/genai package,
 * GenerateContentParameters).
 */
export const generateContentSchema = closed(
  {
    contents: {
      type: 'array',
      minItems: 1,
      items: { anyOf: [turn('user', [text, image, response]), turn('model', [text, call])] },
    },
  },
  {
    systemInstruction: closed({ parts: { type: 'array', minItems: 1, items: text } }, { role: anyText }),
    tools: {
      type: 'array',
      minItems: 1,
      items: closed({ functionDeclarations: { type: 'array', minItems: 1, items: declaration } }),
    },
    toolConfig: closed({ functionCallingConfig: closed({ mode: { enum: ['AUTO', 'ANY', 'NONE'] } }) }),
    generationConfig: closed(
      {},
      {
        maxOutputTokens: { type: 'integer', minimum: 1 },
        responseMimeType: { enum: ['application/json', 'text/plain'] },
        responseJsonSchema: { type: 'object' },
        thinkingConfig: closed(
          {},
          {
            thinkingLevel: { enum: ['minimal', 'low', 'medium', 'high'] },
            thinkingBudget: { type: 'integer', minimum: -1 },
            includeThoughts: { type: 'boolean' },
          },
        ),
      },
    ),
  },
);
