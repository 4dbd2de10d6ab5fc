import { describe, expect, it, vi } from 'vitest';
import type { ModelChoice } from '#agent/model/model-call.ts';
import { modelRoute } from '#contract/models.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { asked } from '../support/asked.ts';
import { startProviderStub } from '../support/provider-stub/start-provider-stub.ts';
import { type StubChanges, stubProviders } from '../support/provider-stub/stub-providers.ts';

/**
 * This file tests which provider a model's calls use, depending on the service's configuration and the project's keys.
 */

const generations = ['v2', 'v3', 'v4'] as const;

it.each(generations)('every model of %s has a route to a provider that there is', (generation) => {
  for (const { name } of defaultRules.models[generation].models) {
    const route = modelRoute(defaultRules, generation, name);
    expect(defaultRules.providers.providers.map(({ provider }) => provider)).toContain(route?.provider);
  }
});

it('every route has its traits, and every trait is of a route', () => {
  const routes = generations.flatMap((generation) =>
    defaultRules.models[generation].models.map(({ name }) => {
      const route = modelRoute(defaultRules, generation, name);
      return `${route?.provider}/${route?.name}`;
    }),
  );
  const traits = defaultRules.providers.traits.map(({ route }) => route);
  expect(new Set(traits)).toEqual(new Set(routes));
  expect(traits).toHaveLength(new Set(traits).size);
});

it('every provider of chat completions has its dialect', () => {
  const chat = defaultRules.providers.providers.filter(({ api }) => api === 'chat-completions');
  expect(defaultRules.providers.dialects.map(({ provider }) => provider)).toEqual(chat.map(({ provider }) => provider));
});

const key = { provider: 'openai', key: 'own-key' };

describe('a model is served', () => {
  const rows: readonly {
    readonly given: string;
    readonly choice: Partial<ModelChoice>;
    readonly changes: StubChanges;
    readonly want: boolean;
  }[] = [
    { given: 'native, direct', choice: { model: 'gpt-5.4-mini' }, changes: {}, want: true },
    {
      given: 'native, through a cloud platform',
      choice: { model: 'gpt-5.4-mini' },
      changes: { route: 'cloud' },
      want: true,
    },
    {
      given: 'native, without its provider',
      choice: { model: 'gpt-5.4-mini' },
      changes: { names: ['xai'] },
      want: false,
    },
    { given: 'direct or cloud, direct', choice: { model: 'gpt-5.6-sol' }, changes: {}, want: true },
    { given: 'direct or cloud, cloud', choice: { model: 'gpt-5.6-sol' }, changes: { route: 'cloud' }, want: true },
    { given: 'cloud only, direct', choice: { model: 'gpt-5.5' }, changes: {}, want: false },
    { given: 'cloud only, cloud', choice: { model: 'gpt-5.5' }, changes: { route: 'cloud' }, want: true },
    {
      given: 'cloud only in V3, native in V4',
      choice: { model: 'gpt-5.5', generation: 'v4' },
      changes: {},
      want: true,
    },
    { given: 'own key only, without one', choice: { model: 'gpt-5.2' }, changes: {}, want: false },
    { given: 'own key only, with it', choice: { model: 'gpt-5.2', ownKey: key }, changes: {}, want: true },
    {
      given: 'own key, nothing configured',
      choice: { model: 'gpt-5.2', ownKey: key },
      changes: { names: [] },
      want: true,
    },
    { given: 'cloud only, with an own key', choice: { model: 'gpt-5.5', ownKey: key }, changes: {}, want: true },
    { given: 'a name that nobody knows', choice: { model: 'acme-1' }, changes: {}, want: false },
  ];
  it.each(rows)('$given: $want', async ({ choice, changes, want }) => {
    const { providers } = stubProviders({ address: 'http://127.0.0.1:9' }, changes);
    const client = await providers.clientFor({
      generation: 'v3',
      model: 'x',
      thinkingLevel: null,
      modelParams: null,
      ownKey: null,
      ...choice,
    });
    expect(client !== null).toBe(want);
  });
});

it('says which routes the service has of its own', () => {
  const { providers } = stubProviders({ address: 'http://127.0.0.1:9' }, { names: ['openai', 'zai'], route: 'cloud' });
  expect([...providers.routes]).toEqual([
    ['openai', 'cloud'],
    ['zai', 'cloud'],
  ]);
});

const run = { generation: 'v4', model: 'gpt-5.6-sol', thinkingLevel: null } as const;
const effort = { reasoning: { effort: 'max' } };

it('an own key replaces the service’s, and changes nothing else', async () => {
  await using ours = await startProviderStub();
  await using theirs = await startProviderStub('own-key');
  const never = new AbortController().signal;
  for (const [stub, ownKey] of [[ours, null] as const, [theirs, key] as const]) {
    const client = await stubProviders(stub).providers.clientFor({ ...run, modelParams: effort, ownKey });
    await client?.call(asked(), never);
    expect(stub.problems).toEqual([]);
  }
  expect(theirs.requests.map(({ body }) => body)).toEqual(ours.requests.map(({ body }) => body));
});

it('a key of another provider is a bug of the caller, and is not sent', async () => {
  const { providers } = stubProviders({ address: 'http://127.0.0.1:9' });
  const ownKey = { provider: 'xai', key: 'own-key' };
  await expect(providers.clientFor({ ...run, modelParams: null, ownKey })).rejects.toThrow('found a key of xai');
});

it.each([
  ['gpt-5.6-sol', 'OPENAI_CUSTOM_HEADERS', 'Authorization'],
  ['glm-5.2', 'OPENAI_CUSTOM_HEADERS', 'Authorization'],
  ['claude-opus-4.7', 'ANTHROPIC_CUSTOM_HEADERS', 'X-Api-Key'],
])('requests of %s have no headers from %s', async (model, variable, header) => {
  await using stub = await startProviderStub();
  vi.stubEnv(variable, `${header}: another\nX-Other: sent`);
  const client = await stubProviders(stub).providers.clientFor({ ...run, model, modelParams: null, ownKey: null });
  await client?.call(asked(), new AbortController().signal);
  vi.unstubAllEnvs();
  expect(stub.problems).toEqual([]);
  expect(stub.requests.map(({ headers }) => headers['x-other'])).toEqual([undefined]);
});

it('an own key does not go to a cloud platform of the service', async () => {
  await using cloud = await startProviderStub();
  const { providers } = stubProviders(cloud, { route: 'cloud', rules: withUsualAddress('http://127.0.0.1:1/v1') });
  const client = await providers.clientFor({ ...run, modelParams: null, ownKey: key });
  const answer = await client?.call(asked(), new AbortController().signal);
  expect(answer).toMatchObject({ ok: false, failure: { kind: 'unreachable' } });
  expect(cloud.requests).toEqual([]);
});

function withUsualAddress(baseUrl: string): typeof defaultRules {
  const rows = defaultRules.providers.providers.map((row) => ({ ...row, baseUrl }));
  return { ...defaultRules, providers: { ...defaultRules.providers, providers: rows } };
}
