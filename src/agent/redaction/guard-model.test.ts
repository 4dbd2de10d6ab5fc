import { expect, it } from 'vitest';
import type { ModelReply } from '../model/model-call.ts';
import { call, scriptedModel } from '../loop/testing/scripted-model.ts';
import { guardModel } from './guard-model.ts';
import { createRedactor } from './redactor.ts';

const value = 'correct-horse-battery';
const redactor = createRedactor([{ name: 's', value, domains: null }]);

it('a request that holds values reaches the model without any, and what the model said itself as it was', async () => {
  const model = scriptedModel(() => call('finish'), { seesImages: true });
  const reply: ModelReply = {
    text: 'I go on',
    toolCalls: [],
    end: 'done',
    usage: { inputTokens: 0, outputTokens: 0 },
    replay: { signature: 'abc' },
  };
  const text = { kind: 'text', text: `x ${value} y` } as const;
  const guarded = guardModel(model, redactor);
  await guarded.call({
    system: value,
    messages: [
      { role: 'user', parts: [text] },
      { role: 'model', reply },
      { role: 'tools', results: [{ callId: '1', name: 'n', parts: [text], isError: false }] },
    ],
    tools: [],
    toolChoice: 'auto',
    outputSchema: { const: value },
    maxOutputTokens: 1,
  });
  const sent = JSON.stringify(model.requests);
  expect(sent).not.toContain(value);
  expect(sent.match(/<secret:s>/g)).toHaveLength(4);
  expect(model.requests[0]?.messages[1]).toEqual({ role: 'model', reply });
  expect(guarded.seesImages).toBe(true);
});
