import { type Decimal, minusDecimal, sumDecimals } from '../core/decimal.ts';
import type { Ledger, LedgerEntry } from '../core/ledger.ts';

/**
 * Returns a function that computes the exact sum of a value over the entries of a ledger. The sum is updated at each
 * change of an entry, because a run reads it after every response.
 */
export function runningSum(ledger: Ledger, partOf: (entry: LedgerEntry) => Decimal): () => Decimal {
  const parts = new Map<LedgerEntry, Decimal>();
  let sum: Decimal = { value: 0n, scale: 0 };
  const note = (entry: LedgerEntry): void => {
    const [before = nothing, now] = [parts.get(entry), partOf(entry)];
    parts.set(entry, now);
    sum = sumDecimals([minusDecimal(sum, before), now]);
  };
  for (const entry of ledger.entries()) note(entry);
  ledger.onChange((_entries, changed) => note(changed));
  return () => sum;
}

const nothing: Decimal = { value: 0n, scale: 0 };
