import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PageServer, servePages } from '#browsers/testing/serve-pages.ts';
import { defaultRules } from '#contract/rule-book.ts';
import type { JsonObject } from '#lib/json.ts';
import { createAgent } from '../src/cli/serve/create-agent.ts';
import { createApiClient } from './support/api-client.ts';
import {
  answerWell,
  type Behaviour,
  type ProviderStub,
  startProviderStub,
} from './support/provider-stub/start-provider-stub.ts';
import { stubProviders } from './support/provider-stub/stub-providers.ts';
import { type RealBackend, startRealBackend } from './support/start-real-backend.ts';

/**
 * This file tests tasks that a model solves in a real browser, in each generation and with each family of providers. A
 * strict stub is the model.
 */

let server: PageServer;
let stub: ProviderStub;
let real: RealBackend;

beforeAll(async () => {
  server = await servePages({
    '/': '<title>Shop</title><form action="/found"><label>Search <input name="q"></label></form>',
    '/found': '<title>Found</title><h1>Pears cost 3.20</h1>',
  });
  stub = await startProviderStub();
  real = await startRealBackend({
    allow: [server.host],
    models: stubProviders(stub).providers,
    agent: createAgent(defaultRules, { testTasks: false }),
  });
});
afterAll(async () => {
  await real.stop();
  await stub[Symbol.asyncDispose]();
  await server.close();
});

/** A model that decides from the request alone. */
const brain: Behaviour = (response, request) => {
  const shown = JSON.stringify(request.body);
  answerWell(decide(shown))(response, request);
};

function decide(shown: string): Parameters<typeof answerWell>[0] {
  if (shown.includes('You name tasks')) return { text: 'Price of pears' };
  if (shown.includes('You judge')) return { text: JSON.stringify({ success: true, reason: 'Seen.' }) };
  if (shown.includes('Pears cost 3.20'))
    return act('finish', { success: true, text: 'They cost 3.20', output: '{"price":3.2}' });
  const field = /textbox [^a-z]*Search[^a-z]* \[[^\]]*ref=(\w+)/.exec(shown)?.[1] ?? refOfSearch(shown);
  return field === undefined
    ? act('navigate', { url: `${server.origin}/` })
    : act('type', { ref: field, text: 'pears', submit: true });
}

function refOfSearch(shown: string): string | undefined {
  return /Search[^\n]{0,40}?\[ref=(\w+)\]/.exec(shown)?.[1];
}

let calls = 0;
function act(name: string, given: JsonObject): Parameters<typeof answerWell>[0] {
  calls += 1;
  return { call: { id: `call_${calls}`, name, arguments: given } };
}

function prepared(): { readonly asked: () => number } {
  stub.next.splice(0);
  stub.next.push(...Array.from({ length: 30 }, () => brain));
  const before = stub.requests.length;
  return { asked: () => stub.requests.length - before };
}

const goal = 'What do pears cost?';
const minute = 60_000;

it.each(['gpt-5.4-mini', 'claude-sonnet-4.6', 'gemini-3-flash', 'glm-5.2'])(
  'V3, %s',
  { timeout: minute },
  async (model) => {
    const { asked } = prepared();
    const api = createApiClient(real.address);
    const outputSchema = { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] };
    const { body } = await api.call('POST', '/sessions', { task: goal, model, outputSchema });
    const session = await api.until(
      String(body['id']),
      (one) => typeof one['isTaskSuccessful'] === 'boolean',
      minute - 10_000,
    );
    expect(stub.problems).toEqual([]);
    expect(session).toMatchObject({
      isTaskSuccessful: true,
      output: { price: 3.2 },
      stepCount: 2,
      title: 'Price of pears',
    });
    // Every call is booked once, with the usage that the provider reports.
    expect(session).toMatchObject({ totalInputTokens: 11 * asked(), totalOutputTokens: 7 * asked() });
    expect(session['lastStepSummary']).toBe('Typed “pears” into “Search”');
  },
);

it('V4', { timeout: minute }, async () => {
  prepared();
  const { body } = await real.v4.call('POST', '/runs', { task: goal, model: 'claude-sonnet-5' });
  const run = await real.v4.until(
    String(body['id']),
    (one) => !['queued', 'dispatching', 'running'].includes(String(one['status'])),
    minute,
  );
  expect(stub.problems).toEqual([]);
  expect(run).toMatchObject({ status: 'completed' });
  expect(JSON.stringify(run)).toContain('They cost 3.20');
});

it('V2', { timeout: minute }, async () => {
  prepared();
  const api = createApiClient(real.address, undefined, 'v2');
  const { body } = await api.call('POST', '/tasks', {
    task: goal,
    llm: 'gemini-2.5-flash',
    startUrl: `${server.origin}/`,
  });
  const task = await api.until(String(body['id']), (one) => one['status'] === 'finished', minute - 10_000);
  expect(stub.problems).toEqual([]);
  expect(task).toMatchObject({ isSuccess: true, output: 'They cost 3.20' });
  expect(task['steps']).toHaveLength(1);
});

it('a provider that is out of order ends a task without success, and says so', { timeout: minute }, async () => {
  stub.next.splice(0);
  const down: Behaviour = (response) => void response.writeHead(500).end('{}');
  stub.next.push(...Array.from({ length: 30 }, () => down));
  const api = createApiClient(real.address);
  const { body } = await api.call('POST', '/sessions', { task: goal, model: 'gpt-5.4-mini' });
  const session = await api.until(
    String(body['id']),
    (one) => typeof one['isTaskSuccessful'] === 'boolean',
    minute - 10_000,
  );
  expect(session['isTaskSuccessful']).toBe(false);
  expect(String(session['output'])).toMatch(/^The model could not be asked: /);
});
