import { describe, expect, it } from 'vitest';
import type { ModelAnswer, ModelChoice, ModelMessage, ModelReply, ModelRequest } from '#agent/model/model-call.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import { asked, clickTool, pixel } from '../support/asked.ts';
import { answerWell, startProviderStub } from '../support/provider-stub/start-provider-stub.ts';
import type { StubRequest } from '../support/provider-stub/judge-request.ts';
import { stubProviders } from '../support/provider-stub/stub-providers.ts';

/**
 * This file tests complete conversations with every provider API: pictures, tool calls and results, schemas, and
 * replies that return to the provider.
 */

const wires = [
  { wire: 'openai-responses', model: 'gpt-5.6-luna', sees: true },
  { wire: 'anthropic-messages', model: 'claude-opus-4.8', sees: true },
  { wire: 'google-generate-content', model: 'gemini-3-flash', sees: true },
  { wire: 'chat of zai', model: 'glm-5.2', sees: false },
  { wire: 'chat of minimax', model: 'minimax-m3', sees: false },
  { wire: 'chat of xai', model: 'grok-4.5', sees: true },
  { wire: 'chat of moonshot', model: 'kimi-k3', sees: true },
] as const;
const never = new AbortController().signal;
const picture = { kind: 'image', mediaType: 'image/png', bytes: pixel } as const;
const call = { id: 'call_1', name: 'click', arguments: { ref: 'e1' } };
const signature = 'c2lnbmVk';

type Choice = Pick<ModelChoice, 'generation' | 'model'> & Partial<ModelChoice>;

/**
 * Sends the turns of a conversation one after the other. Each request contains all previous replies, and after each
 * reply the messages in `more`.
 */
async function converse(
  choice: Choice,
  turns: readonly { readonly said: Parameters<typeof answerWell>[0]; readonly more?: readonly ModelMessage[] }[],
  request: Partial<ModelRequest> = {},
): Promise<{ readonly sent: readonly StubRequest[]; readonly replies: readonly ModelReply[] }> {
  await using stub = await startProviderStub();
  stub.next.push(...turns.map(({ said }) => answerWell(said)));
  const { providers } = stubProviders(stub, { route: 'cloud' });
  const client = await providers.clientFor({ thinkingLevel: null, modelParams: null, ownKey: null, ...choice });
  const messages: ModelMessage[] = [...asked().messages];
  const replies: ModelReply[] = [];
  for (const { more = [] } of turns) {
    const answer = await client?.call(asked({ tools: [clickTool], ...request, messages: [...messages] }), never);
    const reply = requireReply(answer, stub.problems);
    replies.push(reply);
    messages.push({ role: 'model', reply }, ...more);
  }
  expect(stub.problems).toEqual([]);
  return { sent: [...stub.requests], replies };
}

function requireReply(answer: ModelAnswer | undefined, problems: readonly string[]): ModelReply {
  if (answer?.ok !== true) throw new Error(`found ${JSON.stringify(answer)}, ${problems.join('; ')}`);
  return answer.reply;
}

const result = (
  parts: Extract<ModelMessage, { role: 'tools' }>['results'][number]['parts'],
  isError = false,
): ModelMessage => ({
  role: 'tools',
  results: [{ callId: 'call_1', name: 'click', parts, isError }],
});

describe.each(wires)('$wire', ({ model, sees }) => {
  it('a call, its result and the rest of the conversation, as the provider documents them', async () => {
    const parts = [{ kind: 'text', text: 'Clicked.' } as const, ...(sees ? [picture] : [])];
    const { sent, replies } = await converse({ generation: 'v4', model }, [
      { said: { call, thinks: model !== 'minimax-m3' }, more: [result(parts)] },
      { said: { text: 'Done.' }, more: [{ role: 'user', parts: [{ kind: 'text', text: 'And now?' }] }] },
      { said: { text: 'Nothing.' } },
    ]);
    expect(replies.map(({ text, end }) => ({ text, end }))).toEqual([
      { text: '', end: 'tools' },
      { text: 'Done.', end: 'done' },
      { text: 'Nothing.', end: 'done' },
    ]);
    expect(replies[0]?.toolCalls).toEqual([{ id: 'call_1', name: 'click', input: { ref: 'e1' } }]);
    expect(JSON.stringify(sent[2]?.body)).toContain('Clicked.');
    expect(JSON.stringify(sent[2]?.body).includes(pixel.toString('base64'))).toBe(sees);
  });

  it('what failed in a tool is told as such', async () => {
    const { sent } = await converse({ generation: 'v4', model }, [
      { said: { call }, more: [result([{ kind: 'text', text: 'no such element' }], true)] },
      { said: { text: 'Done.' } },
    ]);
    expect(JSON.stringify(sent[1]?.body)).toMatch(/Error: no such element|"is_error":true|"error":"no such element"/);
  });

  it('a tool that must or must not be called is said as far as the provider takes it', async () => {
    for (const toolChoice of ['auto', 'required', 'none'] as const)
      await converse({ generation: 'v4', model }, [{ said: { text: 'Done.' } }], { toolChoice });
  });

  it.each([
    {
      given: 'closed',
      schema: {
        type: 'object',
        properties: { price: { type: 'number' } },
        required: ['price'],
        additionalProperties: false,
      },
    },
    { given: 'open', schema: { type: 'object', properties: { price: { type: 'number', minimum: 0 } } } },
    { given: 'no object', schema: { type: 'array', items: { type: 'string' } } },
  ])('an output schema reaches the model, natively or in words ($given)', async ({ schema }) => {
    const { sent } = await converse({ generation: 'v4', model }, [{ said: { text: '{}' } }], {
      tools: [],
      outputSchema: schema,
    });
    const body = sent[0]?.body ?? {};
    const isTold = JSON.stringify(body).includes('conforms to this JSON Schema');
    const native = find(body, (object) => Object.values(object).some((value) => same(value, schema)));
    expect([isTold, native]).toContain(true);
    expect(isTold && native).toBe(false);
  });
});

describe('what goes back to the provider', () => {
  const turns = [
    { said: { call, thinks: true }, more: [result([{ kind: 'text', text: 'ok' }])] },
    { said: { text: 'Done.' } },
  ];

  it('anthropic: thinking with its signature in V3 and V4, no thinking at all in V2', async () => {
    const blocks = async (choice: Choice): Promise<readonly unknown[]> => {
      const { sent } = await converse(choice, turns);
      return toObjects(sent[1]?.body['messages'])
        .filter(({ role }) => role === 'assistant')
        .flatMap(({ content }) => toObjects(content).map(({ type }) => type));
    };
    const all = ['thinking', 'redacted_thinking', 'tool_use'];
    expect(await blocks({ generation: 'v3', model: 'claude-sonnet-5', thinkingLevel: 'high' })).toEqual(all);
    expect(await blocks({ generation: 'v4', model: 'claude-sonnet-5' })).toEqual(all);
    expect(await blocks({ generation: 'v2', model: 'claude-sonnet-5', thinkingLevel: 'high' })).toEqual(['tool_use']);
  });

  it('anthropic: texts of white space alone stay behind', async () => {
    const blank = { kind: 'text', text: '\n' } as const;
    const { sent } = await converse({ generation: 'v4', model: 'claude-sonnet-5' }, [
      { said: { text: '\n\n', call }, more: [result([blank])] },
      { said: { text: ' ' }, more: [{ role: 'user', parts: [blank, { kind: 'text', text: 'And now?' }] }] },
      { said: { text: 'Done.' } },
    ]);
    const contents = toObjects(sent[2]?.body['messages']).map(({ content }) => content);
    expect(contents.slice(1, 4)).toEqual([
      [{ type: 'tool_use', id: 'call_1', name: 'click', input: { ref: 'e1' } }],
      [{ type: 'tool_result', tool_use_id: 'call_1', content: [], is_error: false }],
      [{ type: 'text', text: '(no answer)' }],
    ]);
  });

  it('openai: reasoning goes encrypted, and nothing is stored', async () => {
    const { sent } = await converse({ generation: 'v4', model: 'gpt-5.6-sol' }, turns);
    expect(sent.map(({ body }) => body['store'])).toEqual([false, false]);
    expect(toObjects(sent[1]?.body['input'])).toContainEqual(
      expect.objectContaining({ type: 'reasoning', encrypted_content: signature }),
    );
  });

  it('openai: reasoning that led to nothing, as in a reply that was cut off, stays behind', async () => {
    const { sent } = await converse({ generation: 'v4', model: 'gpt-5.6-sol' }, [
      { said: { thinks: true }, more: [{ role: 'user', parts: [{ kind: 'text', text: 'Shorter, please.' }] }] },
      { said: { text: 'Done.' } },
    ]);
    expect(toObjects(sent[1]?.body['input']).map(({ type }) => type)).toEqual(['message', 'message']);
  });

  it('openai: a model that does not reason is not asked for reasoning', async () => {
    const { sent } = await converse({ generation: 'v2', model: 'gpt-4.1' }, [{ said: { text: 'Done.' } }]);
    expect(sent[0]?.body).not.toHaveProperty('include');
  });

  it('google: the signature of a call goes back with it, summaries of thoughts stay behind', async () => {
    const { sent } = await converse({ generation: 'v3', model: 'gemini-3-flash', thinkingLevel: 'low' }, turns);
    const [, model] = toObjects(sent[1]?.body['contents']);
    expect(model?.['parts']).toEqual([
      { functionCall: { id: 'call_1', name: 'click', args: { ref: 'e1' } }, thoughtSignature: signature },
    ]);
  });

  it('glm and kimi: reasoning goes back under its own name', async () => {
    for (const model of ['glm-5.2', 'kimi-k3']) {
      const { sent } = await converse({ generation: 'v4', model }, turns);
      const [reply] = toObjects(sent[1]?.body['messages']).filter(({ role }) => role === 'assistant');
      expect(reply?.['reasoning_content']).toBe('Hm.');
    }
  });
});

describe('fixed budgets of thinking', () => {
  const choice = { generation: 'v3', model: 'claude-haiku-4.5', thinkingLevel: 'high' } as const;

  it('ask for as many tokens as leave room for a reply, and refuse fewer without a call', async () => {
    await using stub = await startProviderStub();
    const { providers } = stubProviders(stub);
    const client = await providers.clientFor({ ...choice, modelParams: null, ownKey: null });
    expect(client?.outputTokensMin).toBe(9216);
    const few = await client?.call(asked({ maxOutputTokens: 9215 }), never);
    expect(few).toMatchObject({ ok: false, failure: { kind: 'bad-request' } });
    expect(stub.requests).toHaveLength(0);
    const enough = await client?.call(asked({ maxOutputTokens: 9216 }), never);
    expect(enough?.ok).toBe(true);
  });
});

function toObjects(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function same(one: JsonValue, other: JsonValue): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Returns whether a value contains an object that meets a condition, at any depth. */
function find(value: JsonValue, isSuch: (object: JsonObject) => boolean): boolean {
  if (Array.isArray(value)) return value.some((item) => find(item, isSuch));
  return isJsonObject(value) && (isSuch(value) || Object.values(value).some((item) => find(item, isSuch)));
}
