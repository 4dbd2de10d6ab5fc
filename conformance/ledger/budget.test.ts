import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareDecimals, toDecimal, formatDecimal, sumDecimals } from '../core/decimal.ts';
import { createLedger } from './ledger.ts';
import type { Ledger } from '../core/ledger.ts';
import { NotRun } from '../core/outcome.ts';
import { createBudget } from './budget.ts';

const seed = Number(process.env['SVC_SEED'] ?? 20_261_121);

const request = { kind: 'run', generation: 'v4', createdBy: 'createRun' } as const;
const cents = (amount: number): string => formatDecimal({ value: BigInt(amount), scale: 2 });

/** Returns the sum of all costs in a ledger. */
function spent(ledger: Ledger): string {
  return formatDecimal(sumDecimals(ledger.entries().map(({ costUsd }) => toDecimal(costUsd))));
}

const plan = fc.record({
  limit: fc.nat(60),
  dispatches: fc.array(
    fc.record({
      bound: fc.integer({ min: 1, max: 20 }),
      /** Number of microtasks before the response arrives. */
      turns: fc.nat(4),
      outcome: fc.constantFrom('refused', 'spends it all', 'lives on', 'lost'),
    }),
    { maxLength: 20 },
  ),
});

type Dispatch =
  typeof plan extends fc.Arbitrary<infer Plan extends { dispatches: unknown[] }> ? Plan['dispatches'][number] : never;

async function dispatch(ledger: Ledger, budget: ReturnType<typeof createBudget>, one: Dispatch): Promise<void> {
  const entry = ledger.request(request);
  try {
    await budget.reserve(entry, cents(one.bound));
  } catch (error) {
    if (!(error instanceof NotRun)) throw error;
    ledger.update(entry, { state: 'refused' });
    return;
  }
  for (let turn = 0; turn < one.turns; turn += 1) await Promise.resolve();
  if (one.outcome === 'refused') ledger.update(entry, { state: 'refused' });
  else if (one.outcome === 'lost') ledger.update(entry, { lost: true, costUsd: cents(one.bound) });
  else ledger.update(entry, { state: one.outcome === 'lives on' ? 'live' : 'ended', costUsd: cents(one.bound) });
}

describe('a budget', () => {
  it('never lets a target charge more than the limit with concurrent dispatches', async () => {
    const property = fc.asyncProperty(plan, async ({ limit, dispatches }) => {
      const ledger = createLedger();
      const budget = createBudget({ ledger, limitUsd: toDecimal(cents(limit)), onEmpty: () => undefined });
      await Promise.all(dispatches.map((one) => dispatch(ledger, budget, one)));
      return compareDecimals(toDecimal(spent(ledger)), toDecimal(cents(limit))) <= 0;
    });
    await fc.assert(property, { seed, numRuns: 500 });
  });

  it('waits for an answer that may give money back', async () => {
    const ledger = createLedger();
    const budget = createBudget({ ledger, limitUsd: toDecimal('0.05'), onEmpty: () => undefined });
    const [first, second] = [ledger.request(request), ledger.request(request)];
    await budget.reserve(first, '0.05');
    const waits = budget.reserve(second, '0.05');
    ledger.update(first, { state: 'refused' });
    await waits;
    expect(second.boundUsd).toBe('0.05');
  });

  it('gains nothing from a negative cost', async () => {
    const ledger = createLedger();
    const budget = createBudget({ ledger, limitUsd: toDecimal('1'), onEmpty: () => undefined });
    ledger.update(ledger.request(request), { state: 'ended', costUsd: '-1000' });
    await expect(budget.reserve(ledger.request(request), '2')).rejects.toThrow(NotRun);
  });

  it('ends the run when nothing can give money back', async () => {
    const ends: string[] = [];
    const ledger = createLedger();
    const budget = createBudget({ ledger, limitUsd: toDecimal('0.05'), onEmpty: (reason) => ends.push(reason) });
    const [first, second] = [ledger.request(request), ledger.request(request)];
    await budget.reserve(first, '0.05');
    ledger.update(first, { state: 'live' });
    await expect(budget.reserve(second, '0.01')).rejects.toThrow(NotRun);
    expect(ends).toEqual(['another 0.01 US dollars could exceed the limit of 0.05 (--max-cost-usd)']);
  });

  it('counts what a follow-up needs beyond what its session has spent', async () => {
    const ledger = createLedger();
    const budget = createBudget({ ledger, limitUsd: toDecimal('0.08'), onEmpty: () => undefined });
    const entry = ledger.request(request);
    await budget.reserve(entry, '0.05');
    ledger.update(entry, { state: 'live', costUsd: '0.02' });
    await budget.reserve(entry, '0.07');
    await expect(budget.reserve(entry, '0.09')).rejects.toThrow(NotRun);
  });
});
