import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toDecimal, formatDecimal, sumDecimals } from '../core/decimal.ts';
import { createLedger } from './ledger.ts';
import { runningSum } from './budget.ts';

const steps = fc.array(
  fc.record({ at: fc.nat(5), costUsd: fc.integer({ min: 0, max: 100_000 }).map((mills) => String(mills / 1000)) }),
);

describe('a sum over a ledger', () => {
  it('is that of all entries after any changes, begun before them or amid', () => {
    fc.assert(
      fc.property(steps, steps, (before, after) => {
        const ledger = createLedger();
        const book = (changes: typeof before): void => {
          for (const { at, costUsd } of changes) {
            const entry =
              ledger.entries()[at] ?? ledger.request({ kind: 'session', generation: 'v3', createdBy: 'test' });
            ledger.update(entry, { costUsd });
          }
        };
        book(before);
        const sum = runningSum(ledger, ({ costUsd }) => toDecimal(costUsd));
        book(after);
        const whole = sumDecimals(ledger.entries().map(({ costUsd }) => toDecimal(costUsd)));
        expect(formatDecimal(sum())).toBe(formatDecimal(whole));
      }),
    );
  });
});

describe('a ledger', () => {
  it('finds the first of several entries that have one id, whichever got it first', () => {
    const ledger = createLedger();
    const [one, other] = [1, 2].map(() => ledger.request({ kind: 'run', generation: 'v4', createdBy: 'test' }));
    if (one === undefined || other === undefined) throw new Error('two entries were requested');
    ledger.update(other, { id: 'a' });
    expect(ledger.find('run', 'a')).toBe(other);
    ledger.update(one, { id: 'a' });
    expect(ledger.find('run', 'a')).toBe(one);
    expect(ledger.find('session', 'a')).toBe(undefined);
    ledger.update(one, { id: 'b' });
    expect(ledger.find('run', 'a')).toBe(other);
    expect(ledger.find('run', 'b')).toBe(one);
  });
});
