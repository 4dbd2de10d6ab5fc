import type { Budget, Ledger, LedgerEntry } from '../core/ledger.ts';
import { type Decimal, compareDecimals, toDecimal, formatDecimal, minusDecimal, sumDecimals } from '../core/decimal.ts';
import { NotRun } from '../core/outcome.ts';

/** Options of {@link createBudget}. */
export interface BudgetOptions {
  ledger: Ledger;
  /** Cost limit in US dollars; undefined = unlimited. */
  limitUsd: Decimal | undefined;
  /** Called with the reason when a reservation does not fit into the limit; ends the run. */
  onEmpty: (reason: string) => void;
}

/** Creates a budget over the entries of a ledger. */
export function createBudget({ ledger, limitUsd, onEmpty }: BudgetOptions): Budget {
  /**
   * Entries whose reservation waits until other requests release budget. Their own requests are not sent yet, so no
   * reservation may wait for them.
   */
  const waiting = new Set<LedgerEntry>();
  let wake: (() => void)[] = [];
  const exposure = limitUsd === undefined ? undefined : runningSum(ledger, computeExposure);
  ledger.onChange(() => {
    for (const resolve of wake.splice(0)) resolve();
  });

  function fits(entry: LedgerEntry, boundUsd: string): boolean {
    if (limitUsd === undefined || exposure === undefined) return true;
    const others = minusDecimal(exposure(), computeExposure(entry));
    const own = largest(toDecimal(boundUsd), toDecimal(entry.costUsd));
    return compareDecimals(sumDecimals([others, own]), limitUsd) <= 0;
  }

  const isUnderWay = (): boolean =>
    ledger.entries().some((entry) => entry.state === 'requested' && entry.lost !== true && !waiting.has(entry));

  async function wait(entry: LedgerEntry, boundUsd: string): Promise<void> {
    waiting.add(entry);
    while (!fits(entry, boundUsd) && isUnderWay()) await new Promise<void>((resolve) => wake.push(resolve));
    waiting.delete(entry);
  }

  return {
    reserve: async (entry, boundUsd) => {
      if (!fits(entry, boundUsd)) await wait(entry, boundUsd);
      if (fits(entry, boundUsd)) {
        ledger.update(entry, { boundUsd });
        return;
      }
      const limit = limitUsd === undefined ? '' : formatDecimal(limitUsd);
      const reason = `another ${boundUsd} US dollars could exceed the limit of ${limit} (--max-cost-usd)`;
      onEmpty(reason);
      throw new NotRun(reason);
    },
  };
}

/**
 * Returns the maximum cost of an entry in US dollars. For a refused resource it is 0. For an ended resource it is the
 * known cost, or the reserved amount if the cost is unknown. For any other resource it is the larger of the two.
 */
function computeExposure({ state, costUsd, boundUsd }: LedgerEntry): Decimal {
  if (state === 'refused') return toDecimal('0');
  // An ended resource without a known cost may have cost the whole reserved amount.
  if (state === 'ended') return largest(toDecimal(costUsd ?? boundUsd), toDecimal('0'));
  return largest(toDecimal(costUsd), toDecimal(boundUsd));
}

function largest(left: Decimal, right: Decimal): Decimal {
  return compareDecimals(left, right) < 0 ? right : left;
}

/**
 * Returns a function that returns the exact sum of `getPart` over all entries of a ledger. The sum is updated with each
 * change of an entry, because a run reads it after every response.
 */
export function runningSum(ledger: Ledger, getPart: (entry: LedgerEntry) => Decimal): () => Decimal {
  const parts = new Map<LedgerEntry, Decimal>();
  let sum: Decimal = { value: 0n, scale: 0 };
  const note = (entry: LedgerEntry): void => {
    const [before = nothing, now] = [parts.get(entry), getPart(entry)];
    parts.set(entry, now);
    sum = sumDecimals([minusDecimal(sum, before), now]);
  };
  for (const entry of ledger.entries()) note(entry);
  ledger.onChange((_entries, changed) => note(changed));
  return () => sum;
}

const nothing: Decimal = { value: 0n, scale: 0 };
