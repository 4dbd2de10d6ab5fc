import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { ModelAnswer, ModelClient } from '#backend/agent/model/model-call.ts';
import { type RuleBook, defaultRules } from '#domain/rule-book.ts';
import { asked, clickTool } from '../support/asked.ts';
import { type AnswerFault, faultyAnswers } from '../support/provider-stub/faulty-answers.ts';
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

/** What goes wrong between the service and a provider, each over a real connection: what is answered, how often is asked, what is booked. */
const models: Readonly<Record<Api, string>> = {
  'openai-responses': 'gpt-5.6-luna',
  'anthropic-messages': 'claude-opus-4.8',
  'google-generate-content': 'gemini-3-flash',
  'chat-completions': 'grok-4.5',
};
const apis = ['openai-responses', 'anthropic-messages', 'google-generate-content', 'chat-completions'] as const;
const nothing = { inputTokens: 0, outputTokens: 0 };
const never = new AbortController().signal;

interface Fault {
  readonly given: string;
  /** What the provider does to one request after the other; the last for all that follow. */
  readonly does: readonly Behaviour[];
  readonly want: 'reply' | Extract<ModelAnswer, { readonly ok: false }>['failure']['kind'];
  /** Requests that reach the provider. */
  readonly requests: number;
  /** Waits between them, in milliseconds. */
  readonly waits: readonly number[];
  readonly timeoutMs?: number;
}

const page =
  (status: number): Behaviour =>
  (response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end('<html><body>Sign in</body></html>');
  };
const cut: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' }).write('{"half": ');
  response.destroy();
};
const reset: Behaviour = (response) => response.destroy();
const silent: Behaviour = () => undefined;
const slowBody: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"half": ');
};
const garbage: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"half": ');
};
const large: Behaviour = (response) => {
  const { answerBytesMax } = defaultRules.providers.calls;
  response.writeHead(200, { 'content-type': 'application/json' }).end(' '.repeat(answerBytesMax + 1));
};
const redirect: Behaviour = (response) => {
  response.writeHead(307, { location: '/elsewhere/v1/responses' }).end();
};
const says = (status: number, error: object, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  answerJson(status, { error }, headers);
const noQuota = { type: 'insufficient_quota', code: 'insufficient_quota', message: 'You exceeded your current quota.' };
const noBalance = { type: 'invalid_request_error', message: 'Your credit balance is too low to access the API.' };
const retryInfo = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' }];
const badKey = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }];
const five = [750, 1500, 3000, 6000];

const faults: readonly Fault[] = [
  { given: '401', does: [says(401, { type: 'authentication_error' })], want: 'unauthorised', requests: 1, waits: [] },
  { given: '403', does: [says(403, { type: 'permission_error' })], want: 'unauthorised', requests: 1, waits: [] },
  { given: '400 over the key', does: [says(400, { details: badKey })], want: 'unauthorised', requests: 1, waits: [] },
  { given: '402', does: [says(402, { type: 'billing_error' })], want: 'out-of-credit', requests: 1, waits: [] },
  { given: '429 without quota', does: [says(429, noQuota)], want: 'out-of-credit', requests: 1, waits: [] },
  { given: '400 without balance', does: [says(400, noBalance)], want: 'out-of-credit', requests: 1, waits: [] },
  { given: '429 once', does: [says(429, {}), answerWell()], want: 'reply', requests: 2, waits: [750] },
  {
    given: '429 with a time in seconds',
    does: [says(429, {}, { 'retry-after': '2' }), answerWell()],
    want: 'reply',
    requests: 2,
    waits: [2000],
  },
  {
    given: '429 with a time in its body',
    does: [says(429, { status: 'RESOURCE_EXHAUSTED', details: retryInfo }), answerWell()],
    want: 'reply',
    requests: 2,
    waits: [7000],
  },
  {
    given: '503 with a date',
    does: [says(503, {}, { 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT' }), answerWell()],
    want: 'reply',
    requests: 2,
    waits: [9000],
  },
  { given: '429 for good', does: [says(429, {})], want: 'rate-limited', requests: 5, waits: five },
  {
    given: '429 with a time that is too long',
    does: [says(429, {}, { 'retry-after': '600' })],
    want: 'rate-limited',
    requests: 1,
    waits: [],
  },
  { given: '500 once', does: [says(500, {}), answerWell()], want: 'reply', requests: 2, waits: [750] },
  {
    given: '502 with a page',
    does: [page(502), answerWell()],
    want: 'reply',
    requests: 2,
    waits: [750],
  },
  { given: '503 for good', does: [says(503, {})], want: 'overloaded', requests: 5, waits: five },
  {
    given: '529 once',
    does: [says(529, { type: 'overloaded_error' }), answerWell()],
    want: 'reply',
    requests: 2,
    waits: [750],
  },
  { given: '400', does: [says(400, { type: 'invalid_request_error' })], want: 'bad-request', requests: 1, waits: [] },
  { given: '404', does: [says(404, { type: 'not_found_error' })], want: 'bad-request', requests: 1, waits: [] },
  {
    given: 'an error with status 200',
    does: [says(200, { code: 429, message: 'slow down' }), answerWell()],
    want: 'reply',
    requests: 2,
    waits: [750],
  },
  { given: 'a reset before the answer, once', does: [reset, answerWell()], want: 'reply', requests: 2, waits: [750] },
  { given: 'a reset for good', does: [reset], want: 'cut-off', requests: 3, waits: [750, 1500] },
  { given: 'an answer cut within', does: [cut], want: 'cut-off', requests: 3, waits: [750, 1500] },
  { given: 'no answer', does: [silent], want: 'timeout', requests: 2, waits: [750], timeoutMs: 200 },
  {
    given: 'an answer that does not end',
    does: [slowBody],
    want: 'timeout',
    requests: 2,
    waits: [750],
    timeoutMs: 200,
  },
  { given: 'a page for an answer', does: [page(200)], want: 'garbled', requests: 2, waits: [750] },
  { given: 'half a JSON object', does: [garbage, answerWell()], want: 'reply', requests: 2, waits: [750] },
  { given: 'JSON that is no object', does: [answerJson(200, ['no'])], want: 'garbled', requests: 2, waits: [750] },
  { given: 'an empty object', does: [answerJson(200, {})], want: 'garbled', requests: 2, waits: [750] },
  { given: 'an endless answer', does: [large], want: 'garbled', requests: 2, waits: [750] },
  { given: 'a redirect', does: [redirect], want: 'garbled', requests: 2, waits: [750] },
];

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
  const client = await clientOf(stubbed, models[api]);
  const answer = await client.call(asked({ tools: [clickTool] }), never);
  return { answer, requests: [...stub.requests], problems: [...stub.problems], stubbed };
}

function withTimeout(timeoutMs: number): RuleBook {
  const { providers } = defaultRules;
  return { ...defaultRules, providers: { ...providers, calls: { ...providers.calls, timeoutMs } } };
}

async function clientOf({ providers }: StubProviders, model: string): Promise<ModelClient> {
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
    // Whatever was tried, nobody is told the key.
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

  it.each(['no-usage', 'half-usage'] as const)('usage that is missing is estimated (%s)', async (fault) => {
    const { text } = { text: 'Done.' };
    const answer = await answered(fault);
    expect(answer).toMatchObject({ ok: true, reply: { text, usage: { outputTokens: 2 } } });
    expect(answer.ok && answer.reply.usage.inputTokens).toBeGreaterThan(10);
  });

  it('a tool that nobody offered is told as it was called', async () => {
    const call = { id: 'call_9', name: 'launch', arguments: { now: true } };
    const { answer } = await ask(api, [answerWell({ call })]);
    const toolCalls = [{ id: 'call_9', name: 'launch', input: { now: true } }];
    expect(answer).toMatchObject({ ok: true, reply: { toolCalls, end: 'tools' } });
  });

  it('nobody listens: the provider is unreachable', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const place = server.address();
    server.close();
    await once(server, 'close');
    const port = typeof place === 'object' ? place?.port : undefined;
    const stubbed = stubProviders({ address: `http://127.0.0.1:${port}` });
    const answer = await (await clientOf(stubbed, models[api])).call(asked(), never);
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
      const client = await clientOf(stubProviders(stub), models[api]);
      await expect(client.call(asked(), giveUp.signal)).rejects.toBe(reason);
    }
    expect(stub.requests).toHaveLength(2);
  });
});
