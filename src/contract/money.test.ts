import { assert, integer, property } from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { browserBill, tokenPicos, simulationPrice, tokenPrice } from './money.ts';
import { defaultRules, type RuleBook } from './rule-book.ts';

const { pricing, models } = defaultRules;

describe('tokenPrice', () => {
  it.each([
    { model: 'gpt-5.6-luna', want: { inputPicos: 200_000, outputPicos: 1_200_000 } },
    { model: 'grok-4.5', want: { inputPicos: 5_000_000, outputPicos: 30_000_000 } },
  ])('is the row of $model, or the row of any model', ({ model, want }) => {
    expect(tokenPrice(pricing, { model, isOwnKey: false })).toEqual(want);
  });

  it("is a share of the price with the project's own key, rounded up to whole pico-dollars", () => {
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

  it('has one row per known name, and none for aliases', () => {
    const rows = pricing.models.map(({ model }) => model);
    expect(rows.filter((name, at) => rows.indexOf(name) !== at)).toEqual([]);
    const ownNames = models.v3.models.filter(({ aliasOf }) => aliasOf === undefined);
    const known = [...models.v2.models, ...ownNames, ...models.v4.models].map(({ name }) => name);
    expect(rows.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('has no row with a higher price than that of any model', () => {
    for (const { microUsdPerMillionInputTokens: input, microUsdPerMillionOutputTokens: output } of pricing.models) {
      expect(input).toBeLessThanOrEqual(pricing.anyModel.microUsdPerMillionInputTokens);
      expect(output).toBeLessThanOrEqual(pricing.anyModel.microUsdPerMillionOutputTokens);
    }
  });
});

describe('tokenPicos', () => {
  it('prices a simulated model at 1 and 4 dollars a million', () => {
    const million = { inputTokens: 1_000_000, outputTokens: 1_000_000 };
    expect(tokenPicos(simulationPrice(pricing), million)).toBe(5 * 10 ** 12);
  });
});

const { pricing: pricingBrowserBill } = defaultRules;
const minute = 60_000;
const hour = 60 * minute;
const start = 1_000_000;

function bill(atMs: number, changes: { finishedAtMs?: number; periodMinutes?: number; proxyBytes?: number } = {}) {
  const browser = { startedAtMs: start, finishedAtMs: null, periodMinutes: 60, proxyBytes: 0, ...changes };
  return browserBill(pricingBrowserBill, browser, atMs);
}

test.each([
  ['at its start', 0, 1],
  ['one moment before the end of the period', hour - 1, 1],
  ['at the end of the period, which has just renewed', hour, 2],
  ['in the third period', 2.5 * hour, 3],
  ['when the clock was set back', -hour, 1],
])('bills the prepaid periods of an active browser %s', (_when, afterMs, periods) => {
  const { timeoutAtMs, browserMicros } = bill(start + afterMs);
  expect({ timeoutAtMs, browserMicros }).toEqual({
    timeoutAtMs: start + periods * hour,
    browserMicros: periods * 20_000,
  });
});

test.each([
  ['at once', 1, 334],
  ['after one minute', minute, 334],
  ['after one minute and a moment', minute + 1, 667],
  ['after an hour', hour, 20_000],
  ['after 90 minutes', 90 * minute, 30_000],
])('bills the started minutes of a browser that was stopped %s', (_when, afterMs, micros) => {
  expect(bill(start + 10 * hour, { finishedAtMs: start + afterMs }).browserMicros).toBe(micros);
});

test('bills nothing for a browser that never ran', () => {
  expect(bill(start + hour, { finishedAtMs: start })).toEqual({
    timeoutAtMs: start + hour,
    browserMicros: 0,
    proxyMicros: 0,
  });
});

test('bills proxy traffic separately', () => {
  expect(bill(start, { proxyBytes: 1_000_000 }).proxyMicros).toBe(5_000);
});

test('ends the period within its length, and never bills more than the prepaid amount', () => {
  const times = property(integer({ min: 0, max: 1e10 }), integer({ min: 1, max: 240 }), (afterMs, periodMinutes) => {
    const now = start + afterMs;
    const active = bill(now, { periodMinutes });
    const ahead = active.timeoutAtMs - now;
    const stopped = bill(now, { periodMinutes, finishedAtMs: now + 1 });
    expect(ahead).toBeGreaterThan(0);
    expect(ahead).toBeLessThanOrEqual(periodMinutes * minute);
    expect(stopped.browserMicros).toBeLessThanOrEqual(bill(now + 1, { periodMinutes }).browserMicros);
    expect(stopped.browserMicros).toBeGreaterThan(0);
  });
  assert(times);
});
