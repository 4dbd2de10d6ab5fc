import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { type RuleBook, defaultRules } from '#contract/rule-book.ts';
import { createAgent } from '../../src/cli/serve/create-agent.ts';
import { createApiClient } from '../support/api-client.ts';
import { type Fault, faults, silent } from '../support/provider-stub/faults.ts';
import { goodUsage } from '../support/provider-stub/good-answers.ts';
import {
  type Behaviour,
  type ProviderStub,
  answerWell,
  startProviderStub,
  stubKey,
} from '../support/provider-stub/start-provider-stub.ts';
import { stubProviders } from '../support/provider-stub/stub-providers.ts';
import { type StartedBackend, startBackend } from '../support/start-backend.ts';

/**
 * This file tests faults of providers through each generation. The task must end with a valid state and text, and its
 * costs must be booked once.
 */

let stub: ProviderStub;
let started: StartedBackend;

beforeAll(async () => {
  stub = await startProviderStub();
  const rules = withTimeout(300);
  started = await startBackend({
    rules,
    models: stubProviders(stub, { rules }).providers,
    agent: createAgent(rules, { testTasks: false }),
  });
});
afterAll(async () => {
  await started.stop();
  await stub[Symbol.asyncDispose]();
});

function withTimeout(timeoutMs: number): RuleBook {
  const { providers } = defaultRules;
  return { ...defaultRules, providers: { ...providers, calls: { ...providers.calls, timeoutMs } } };
}

/**
 * Sets the stub's answers to the agent's requests, in order; the last answer repeats. Requests for a title get a title.
 * `asked` returns the number of the agent's requests.
 */
function answering(does: readonly Behaviour[]): { readonly asked: () => number } {
  let asked = 0;
  const one: Behaviour = (response, request) => {
    if (JSON.stringify(request.body).includes('You name tasks'))
      return answerWell({ text: 'Title' })(response, request);
    asked += 1;
    (does[Math.min(asked, does.length) - 1] ?? silent)(response, request);
  };
  stub.next.splice(0, stub.next.length, ...Array.from({ length: 20 }, () => one));
  return { asked: () => asked };
}

/**
 * Returns the behaviours of a fault in order. If the provider recovers, the last behaviour is an answer that finishes
 * the task.
 */
function doing({ does, want }: Fault): readonly Behaviour[] {
  const call = { id: 'call_1', name: 'finish', arguments: { success: true, text: 'Done.' } };
  return want === 'reply' ? [...does.slice(0, -1), answerWell({ call })] : does;
}

const task = 'Say that you are done.';
const isOver = (one: JsonObject): boolean =>
  ['completed', 'failed', 'finished', 'stopped', 'error', 'idle'].includes(String(one['status']));

async function ended(version: 'v2' | 'v3' | 'v4', body: JsonObject): Promise<JsonObject> {
  const api = createApiClient(started.address, undefined, version);
  const path = { v2: '/tasks', v3: '/sessions', v4: '/runs' }[version];
  const { body: made } = await api.call('POST', path, { task, ...body });
  return api.until(String(made['id']), isOver, 20_000);
}

const nil = /^0(?:\.0+)?$/;

/**
 * Request bodies and expected results by generation. `maxCostUsd` stops the service from asking a model for a title, so
 * only the agent's calls cost money.
 */
const generations = [
  {
    version: 'v3',
    body: { model: 'gpt-5.4-mini', maxCostUsd: 5 },
    good: { status: 'stopped', isTaskSuccessful: true, output: 'Done.', llmCostUsd: expect.stringMatching(/[1-9]/) },
    bad: {
      status: 'stopped',
      llmCostUsd: expect.stringMatching(nil),
      isTaskSuccessful: false,
      output: expect.stringMatching(/^The model could not be asked: ./),
    },
  },
  {
    version: 'v4',
    body: { model: 'claude-sonnet-5', maxCostUsd: 5 },
    good: { status: 'completed', result: 'Done.' },
    bad: { status: 'completed', result: expect.stringMatching(/^The model could not be asked: ./) },
  },
] as const;

describe.each(generations)('a task of $version', ({ version, body, good, bad }) => {
  it.each(faults)('$given', async (fault) => {
    const { want, requests } = fault;
    const { asked } = answering(doing(fault));
    const record = await ended(version, body);
    expect(record).toMatchObject(want === 'reply' ? good : bad);
    expect(asked()).toBe(requests);
    const paid = want === 'reply' ? goodUsage : { inputTokens: 0, outputTokens: 0 };
    expect(record).toMatchObject({ totalInputTokens: paid.inputTokens, totalOutputTokens: paid.outputTokens });
    expect(JSON.stringify(record)).not.toContain(stubKey);
    expect(stub.problems).toEqual([]);
  });
});

describe('a task of v2', () => {
  it.each(faults)('$given', async (fault) => {
    const { want, requests } = fault;
    const { asked } = answering(doing(fault));
    const record = await ended('v2', { llm: 'gemini-2.5-flash' });
    const words = want === 'reply' ? 'Done.' : expect.stringMatching(/^The model could not be asked: ./);
    expect(record).toMatchObject({ status: 'finished', isSuccess: want === 'reply', output: words });
    expect(asked()).toBe(requests);
    expect(JSON.stringify(record)).not.toContain(stubKey);
    expect(stub.problems).toEqual([]);
  });
});
