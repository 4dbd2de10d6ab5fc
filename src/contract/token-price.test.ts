import { describe, expect, it } from 'vitest';
import { type RuleBook, defaultRules } from './rule-book.ts';
import { picosOf, plannerPrice, tokenPrice } from './token-price.ts';

const { pricing, models } = defaultRules;

describe('tokenPrice', () => {
  it.each([
    { model: 'gpt-5.6-luna', want: { inputPicos: 200_000, outputPicos: 1_200_000 } },
    { model: 'grok-4.5', want: { inputPicos: 5_000_000, outputPicos: 30_000_000 } },
  ])('is that of the row of $model, or of any model', ({ model, want }) => {
    expect(tokenPrice(pricing, { model, isOwnKey: false })).toEqual(want);
  });

  it('takes its share of a price where the own key pays, rounded up to whole pico-dollars', () => {
    const row = { ...pricing.anyModel, microUsdPerMillionInputTokens: 7, microUsdPerMillionOutputTokens: 200_000 };
    const shared: RuleBook['pricing'] = {
      ...pricing,
      anyModel: row,
      ownKey: { ...pricing.ownKey, percentOfPrice: 20 },
    };
    const price = tokenPrice(shared, { model: 'unlisted', isOwnKey: true });
    expect(price).toEqual({ inputPicos: 2, outputPicos: 40_000 });
    expect(tokenPrice(pricing, { model: 'gpt-5.2', isOwnKey: true })).toEqual({ inputPicos: 0, outputPicos: 0 });
  });

  it('has each row once, for a name that a generation knows and no alias', () => {
    const rows = pricing.models.map(({ model }) => model);
    expect(rows.filter((name, at) => rows.indexOf(name) !== at)).toEqual([]);
    const ownNames = models.v3.models.filter(({ aliasOf }) => aliasOf === undefined);
    const known = [...models.v2.models, ...ownNames, ...models.v4.models].map(({ name }) => name);
    expect(rows.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('has no row that is dearer than any model', () => {
    for (const { microUsdPerMillionInputTokens: input, microUsdPerMillionOutputTokens: output } of pricing.models) {
      expect(input).toBeLessThanOrEqual(pricing.anyModel.microUsdPerMillionInputTokens);
      expect(output).toBeLessThanOrEqual(pricing.anyModel.microUsdPerMillionOutputTokens);
    }
  });
});

describe('picosOf', () => {
  it('prices the offline planner as before: 1 and 4 dollars a million', () => {
    const million = { inputTokens: 1_000_000, outputTokens: 1_000_000 };
    expect(picosOf(plannerPrice(pricing), million)).toBe(5 * 10 ** 12);
  });
});
