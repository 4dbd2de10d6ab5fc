import { type Decimal, minusDecimal, sumDecimals } from '../core/decimal.ts';
import type { Ledger, LedgerEntry } from '../core/ledger.ts';

/**
 * The exact sum of something over the entries of a ledger, whenever it is asked for. It is kept as entries change: a run asks after every
 * answer, and adding up all that it has made would take longer with each thing.
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
