import type { ModelRequest } from '#agent/model/model-call.ts';

/** A request of a tool-using task, with changes. */
export function asked(changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: 'You work on the web.',
    messages: [{ role: 'user', parts: [{ kind: 'text', text: 'Find the price.' }] }],
    tools: [],
    toolChoice: 'auto',
    outputSchema: null,
    maxOutputTokens: 16_000,
    ...changes,
  };
}

/** A tool as agents offer it. */
export const clickTool = {
  name: 'click',
  description: 'Clicks an element.',
  parameters: {
    type: 'object',
    properties: { ref: { type: 'string', description: 'The element.' } },
    required: ['ref'],
    additionalProperties: false,
  },
};

/** The smallest PNG that is one. */
export const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
