import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { modelRoute } from '#contract/models.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { asked, clickTool } from '../support/asked.ts';
import { readControls } from '../support/provider-stub/read-controls.ts';
import { goodUsage } from '../support/provider-stub/good-answers.ts';
import { type ProviderStub, startProviderStub } from '../support/provider-stub/start-provider-stub.ts';
import { stubProviders } from '../support/provider-stub/stub-providers.ts';
import { type WireCell, wireCells, wireName } from '../support/wire-cells.ts';

/**
 * This file tests that every accepted cell of each matrix and mapping of the contract reaches its provider, through the
 * provider's client. The stub refuses undocumented requests.
 */

let stub: ProviderStub;
/**
 * Records the warnings that a provider's client writes to the console. Such warnings would spoil the log of the
 * service.
 */
const written = vi.spyOn(console, 'warn');
beforeAll(async () => {
  stub = await startProviderStub();
});
afterAll(() => stub[Symbol.asyncDispose]());

const cells = wireCells();
const findApi = ({ choice }: WireCell): string => {
  const route = modelRoute(defaultRules, choice.generation, choice.model);
  const row = defaultRules.providers.providers.find(({ provider }) => provider === route?.provider);
  return row?.api ?? 'no wire at all';
};

describe.each([...Map.groupBy(cells, findApi)])('%s', (_api, own) => {
  it.each(own)('$name', async ({ choice, want }) => {
    const ownKey = needsOwnKey(choice.model, choice.generation)
      ? { provider: findProvider(choice), key: 'own-key' }
      : null;
    await using keyed = await startProviderStub('own-key');
    const target = ownKey === null ? stub : keyed;
    const before = target.requests.length;
    const known = target.problems.length;
    // A cloud route offers every model. The table checks that its requests equal those to the provider itself.
    const { providers } = stubProviders(target, { route: ownKey === null ? 'cloud' : 'direct' });
    const client = await providers.clientFor({ ...choice, ownKey });
    const answer = await client?.call(asked({ tools: [clickTool] }), AbortSignal.any([]));
    const sent = target.requests.slice(before);
    expect(target.problems.slice(known)).toEqual([]);
    expect(sent.map(({ model }) => model)).toEqual([wireName(choice.model)]);
    expect(sent.map(readControls)).toEqual([want]);
    expect(answer).toMatchObject({ ok: true, reply: { text: 'Done.', end: 'done', usage: goodUsage } });
    expect(written).not.toHaveBeenCalled();
  });
});

it('has every accepted cell of the tables, on four wires', () => {
  const levels = [...defaultRules.thinkingLevels.v2, ...defaultRules.thinkingLevels.v3];
  const accepted = levels.reduce((sum, row) => sum + row.levels.length + 1, 0);
  const values = defaultRules.modelParams.matrix.reduce((sum, row) => sum + row.values.length, 0);
  expect(cells).toHaveLength(accepted + values + 2 * defaultRules.models.v4.models.length);
  expect([...Map.groupBy(cells, findApi).keys()].toSorted()).toEqual([
    'anthropic-messages',
    'chat-completions',
    'google-generate-content',
    'openai-responses',
  ]);
});

function needsOwnKey(model: string, generation: string): boolean {
  return defaultRules.models.v3.models.some(
    ({ name, availability }) => generation === 'v3' && name === model && availability === 'own-key',
  );
}

function findProvider({ generation, model }: WireCell['choice']): string {
  return modelRoute(defaultRules, generation, model)?.provider ?? '';
}
