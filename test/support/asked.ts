import type { ModelRequest } from '#agent/model/model-call.ts';

/** Returns a model request of a task, with the given changes. */
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

/** A tool in the format of agents. */
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

/** The smallest valid PNG. */
export const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
