import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { ModelAnswer, ModelClient } from '#agent/model/model-call.ts';
import { type RuleBook, defaultRules } from '#contract/rule-book.ts';
import { asked, clickTool } from '../support/asked.ts';
import { type AnswerFault, faultyAnswers } from '../support/provider-stub/faulty-answers.ts';
import { faults, says, silent } from '../support/provider-stub/faults.ts';
import { goodUsage } from '../support/provider-stub/good-answers.ts';
import type { Api } from '../support/provider-stub/judge-request.ts';
import {
  type Behaviour,
  answerJson,
  answerWell,
  startProviderStub,
  stubKey,
} from '../support/provider-stub/start-provider-stub.ts';
import { type StubProviders, stubProviders } from '../support/provider-stub/stub-providers.ts';

/**
 * This file tests faults between the service and a provider over a real connection: the answer, the number of attempts,
 * and the booked costs.
 */

const models: Readonly<Record<Api, string>> = {
  'openai-responses': 'gpt-5.6-luna',
  'anthropic-messages': 'claude-opus-4.8',
  'google-generate-content': 'gemini-3-flash',
  'chat-completions': 'grok-4.5',
};
const apis = ['openai-responses', 'anthropic-messages', 'google-generate-content', 'chat-completions'] as const;
const nothing = { inputTokens: 0, outputTokens: 0 };
const never = new AbortController().signal;

interface Asked {
  readonly answer: ModelAnswer;
  readonly requests: readonly { readonly provider: string }[];
  readonly problems: readonly string[];
  readonly stubbed: StubProviders;
}

async function ask(api: Api, does: readonly Behaviour[], timeoutMs = 60_000): Promise<Asked> {
  await using stub = await startProviderStub();
  stub.next.push(...Array.from({ length: 6 }, (_, index) => does[Math.min(index, does.length - 1)] ?? silent));
  const stubbed = stubProviders(stub, { rules: withTimeout(timeoutMs) });
  const client = await createClient(stubbed, models[api]);
  const answer = await client.call(asked({ tools: [clickTool] }), never);
  return { answer, requests: [...stub.requests], problems: [...stub.problems], stubbed };
}

function withTimeout(timeoutMs: number): RuleBook {
  const { providers } = defaultRules;
  return { ...defaultRules, providers: { ...providers, calls: { ...providers.calls, timeoutMs } } };
}

async function createClient({ providers }: StubProviders, model: string): Promise<ModelClient> {
  const choice = { generation: 'v4', model, thinkingLevel: null, modelParams: null, ownKey: null } as const;
  const client = await providers.clientFor(choice);
  if (client === null) throw new Error(`found no route for ${model}`);
  return client;
}

describe.each(apis)('on the wire %s', (api) => {
  it.each(faults)('$given ends as $want', async ({ does, want, requests, waits, timeoutMs }) => {
    const { answer, stubbed, ...seen } = await ask(api, does, timeoutMs);
    expect(seen.problems).toEqual([]);
    expect(seen.requests).toHaveLength(requests);
    expect(stubbed.waits).toEqual(waits);
    if (want === 'reply') expect(answer).toMatchObject({ ok: true, reply: { text: 'Done.', usage: goodUsage } });
    else expect(answer).toMatchObject({ ok: false, failure: { kind: want }, usage: nothing });
    // No attempt reveals the key.
    expect(JSON.stringify([answer, stubbed.reports])).not.toContain(stubKey);
  });

  const answered = async (fault: AnswerFault): Promise<ModelAnswer> => {
    const { answer, requests, problems } = await ask(api, [answerJson(200, faultyAnswers[api][fault]), says(500, {})]);
    expect({ problems, requests: requests.length }).toEqual({ problems: [], requests: 1 });
    return answer;
  };

  it('an answer with nothing in it has failed, and is charged once', async () => {
    expect(await answered('empty')).toMatchObject({ ok: false, failure: { kind: 'garbled' }, usage: goodUsage });
  });

  it('arguments that are no JSON are a call without input', async () => {
    const toolCalls = [{ id: 'call_1', name: 'click', input: null }];
    expect(await answered('broken-arguments')).toMatchObject({ ok: true, reply: { toolCalls, end: 'tools' } });
  });

  it('a filtered answer is a refusal', async () => {
    expect(await answered('refused')).toMatchObject({ ok: true, reply: { end: 'refused', usage: goodUsage } });
  });

  it('an answer that reached its bound says so', async () => {
    expect(await answered('cut-short')).toMatchObject({ ok: true, reply: { text: 'Done.', end: 'length' } });
  });

  it.each(['no-usage', 'half-usage', 'vast-usage'] as const)(
    'usage without possible numbers is estimated (%s)',
    async (fault) => {
      const { text } = { text: 'Done.' };
      const answer = await answered(fault);
      expect(answer).toMatchObject({ ok: true, reply: { text, usage: { outputTokens: 2 } } });
      expect(answer.ok && answer.reply.usage.inputTokens).toBeGreaterThan(10);
      expect(answer.ok && answer.reply.usage.inputTokens).toBeLessThan(10_000);
    },
  );

  it('a call of an unknown tool is passed on unchanged', async () => {
    const call = { id: 'call_9', name: 'launch', arguments: { now: true } };
    const { answer } = await ask(api, [answerWell({ call })]);
    const toolCalls = [{ id: 'call_9', name: 'launch', input: { now: true } }];
    expect(answer).toMatchObject({ ok: true, reply: { toolCalls, end: 'tools' } });
  });

  it('without a listener the provider is unreachable', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const place = server.address();
    server.close();
    await once(server, 'close');
    const port = typeof place === 'object' ? place?.port : undefined;
    const stubbed = stubProviders({ address: `http://127.0.0.1:${port}` });
    const answer = await (await createClient(stubbed, models[api])).call(asked(), never);
    expect(answer).toMatchObject({ ok: false, failure: { kind: 'unreachable' }, usage: nothing });
    expect(stubbed.waits).toEqual([750, 1500, 3000]);
  });

  it('a call that is given up ends with the reason, while it is answered and between attempts', async () => {
    await using stub = await startProviderStub();
    const reason = new Error('enough');
    for (const does of [silent, says(500, {})]) {
      const giveUp = new AbortController();
      stub.next.push((response, request) => {
        does(response, request);
        giveUp.abort(reason);
      });
      const client = await createClient(stubProviders(stub), models[api]);
      await expect(client.call(asked(), giveUp.signal)).rejects.toBe(reason);
    }
    expect(stub.requests).toHaveLength(2);
  });
});
