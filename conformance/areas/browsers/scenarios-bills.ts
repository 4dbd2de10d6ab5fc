import { compareDecimals, sumDecimals, timesDecimal } from '../../core/decimal.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import type { ScenarioContext } from '../../core/scenario.ts';
import type { Target } from '../../core/target.ts';
import { sumCosts } from '../../ledger/browser-api.ts';
import type { LiveBrowser } from '../../common/observed-browser.ts';

/** Records of browsers without a proxy after their stop, whose cost is compared without moving a clock. */
export interface BrowserBills {
  /** The record of one browser after its stop, after a second and after a third one. */
  reads: Exchange[];
  /** The record of a browser that was created for a longer time but lived shorter; undefined without one. */
  spare: Exchange | undefined;
}

/**
 * Stops an ended browser twice more and returns its records. Returns undefined if the target shows no cost or no
 * record.
 */
export async function readBills(
  context: ScenarioContext,
  { id }: LiveBrowser,
  spare: LiveBrowser | undefined,
): Promise<BrowserBills | undefined> {
  if (!showsCosts(context.target)) return undefined;
  const reads: Exchange[] = [];
  for (const isStopped of [false, true, true]) {
    if (isStopped) await context.browsers.stop(id);
    const record = await context.browsers.get(id);
    if (record === undefined || !succeeded(record)) return undefined;
    reads.push(record);
  }
  return { reads, spare: spare && (await readRefunded(context, spare, reads.at(-1))) };
}

/**
 * Fetches a stopped browser until its refund is visible or the settle deadline has passed, because a refund may be
 * late. Returns the last record; undefined if the last fetch failed.
 */
async function readRefunded(
  context: ScenarioContext,
  { id }: LiveBrowser,
  short: Exchange | undefined,
): Promise<Exchange | undefined> {
  const deadline = context.nowMs() + context.target.polling.settleDeadlineMs;
  let last = await context.browsers.get(id);
  while (!isRefunded(context.target, last, short) && context.nowMs() < deadline) {
    await context.pause(context.target.polling.intervalMs);
    last = await context.browsers.get(id);
  }
  return last !== undefined && succeeded(last) ? last : undefined;
}

/**
 * Returns false if `long` shows more than twice the cost of `short` plus one unit of the last digit. Returns true if
 * either shows no cost.
 */
export function isRefunded({ v4 }: Target, long: Exchange | undefined, short: Exchange | undefined): boolean {
  const offered = v4?.browsers ?? undefined;
  const [dear, cheap] = [long, short].map((one) => offered && one && sumCosts(one.json, offered));
  if (dear === undefined || cheap === undefined) return true;
  const unit = { value: 1n, scale: Math.max(dear.scale, cheap.scale) };
  return compareDecimals(dear, sumDecimals([timesDecimal(cheap, 2), unit])) <= 0;
}

/** Returns true if the records of stopped browsers show their cost. */
function showsCosts({ v4 }: Target): boolean {
  const offered = v4?.browsers ?? undefined;
  return offered !== undefined && offered.get !== null && offered.costs.length > 0;
}
