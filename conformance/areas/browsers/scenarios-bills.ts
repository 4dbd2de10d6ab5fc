import { compareDecimals, sumDecimals, timesDecimal } from '../../core/decimal.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { requestObject } from '../../core/request-json.ts';
import type { ScenarioContext } from '../../core/scenario.ts';
import type { Target } from '../../core/target.ts';
import { sumCosts } from '../../ledger/browser-api.ts';
import type { LiveBrowser } from '../../common/observed-browser.ts';
import { readSettled } from '../../common/target-facts.ts';

/** The record of a browser, with the name of the request or event before it, or of the kind of the browser. */
export interface NamedRecord {
  name: string;
  record: Exchange;
}

/** Records of stopped browsers without a proxy. Their costs are compared without moving the clock of the target. */
export interface BrowserBills {
  /** Id of the browser of `active`, `reads` and `late`. */
  id: string;
  /** The last answer that showed this browser before its first stop. */
  active: Exchange;
  /** The records of one browser after its first, second and third stop, in this order. */
  reads: Exchange[];
  /** The record of this browser at the end of the scenario; undefined if its fetch failed. */
  late?: Exchange | undefined;
  /** The records of further browsers that lived for a shorter time, each under the name of its kind. */
  spares: NamedRecord[];
  /** Maximum multiple of the cost in `reads` that each of the further browsers may cost. */
  most: number;
}

/**
 * Maximum multiple of the cost of the browser of `reads`: 7 if its creation set a timeout of two minutes, because a
 * service may round the used time up to a quarter of an hour, but not beyond the timeout; otherwise 2.
 */
function multipleOf({ created }: LiveBrowser): number {
  return 'timeout' in requestObject(created) ? 7 : 2;
}

/**
 * Fetches the record of a stopped browser, and again after each of two further stops. Also fetches the records of
 * `others`, which are stopped browsers under the names of their kinds. `active` is the last answer that showed the
 * first browser before its stop. Returns undefined if the target shows no costs, or if a fetch of the first browser
 * fails.
 */
export async function readBills(
  context: ScenarioContext,
  { browser, active }: { browser: LiveBrowser; active: Exchange },
  others: Readonly<Record<string, LiveBrowser | undefined>>,
): Promise<BrowserBills | undefined> {
  const { target } = context;
  if (!showsCosts(target)) return undefined;
  const { id } = browser;
  const reads: Exchange[] = [];
  for (const isStopped of [false, true, true]) {
    if (isStopped) await context.browsers.stop(id);
    const look = (): Promise<Exchange | undefined> => context.browsers.get(id);
    const isUndone = (...later: Exchange[]): boolean =>
      findUndoneRefund(target, { active, reads: [...reads, ...later] }) !== undefined;
    // A fetch may show an earlier state of the record once more. One wait for the settled record is enough.
    const record = await readSettled(context, look, (last) => isUndone() || last === undefined || !isUndone(last));
    if (record === undefined || !succeeded(record)) return undefined;
    reads.push(record);
  }
  const bills: BrowserBills = { id, active, reads, spares: [], most: multipleOf(browser) };
  for (const [name, other] of Object.entries(others)) {
    const record = other && (await readRefunded(context, other, bills));
    if (record !== undefined) bills.spares.push({ name, record });
  }
  return bills;
}

/**
 * Returns the first record in `reads` that shows at least the cost that the browser had while it was active, after a
 * record that shows a lower cost above 0: the refund was booked, and then taken back. Undefined without such a record.
 */
export function findUndoneRefund(
  { v4 }: Target,
  { active, reads }: Pick<BrowserBills, 'active' | 'reads'>,
): Exchange | undefined {
  const offered = v4?.browsers ?? undefined;
  const [charged, ...costs] = [active, ...reads].map((one) => offered && sumCosts(one.json, offered));
  if (charged === undefined) return undefined;
  const refunded = costs.findIndex(
    (cost) => cost !== undefined && cost.value > 0n && compareDecimals(cost, charged) < 0,
  );
  if (refunded === -1) return undefined;
  return reads.find((_read, index) => {
    const cost = costs[index];
    return index > refunded && cost !== undefined && compareDecimals(cost, charged) >= 0;
  });
}

/**
 * Fetches a stopped browser until its refund is visible or the settle deadline has passed, because a refund may be
 * late. Returns the last record; undefined if the last fetch failed.
 */
export async function readRefunded(
  context: ScenarioContext,
  { id }: LiveBrowser,
  bills: ShortBills,
): Promise<Exchange | undefined> {
  const last = await readSettled(
    context,
    () => context.browsers.get(id),
    (record) => isRefunded(context.target, record, bills),
  );
  return last !== undefined && succeeded(last) ? last : undefined;
}

/** The part of the bills with which another browser is compared. */
type ShortBills = Pick<BrowserBills, 'reads' | 'most'>;

/**
 * Returns false if `long` shows more than `most` times the last cost of `reads` plus one unit of the last digit.
 * Returns true if either record shows no cost.
 */
export function isRefunded({ v4 }: Target, long: Exchange | undefined, { reads, most }: ShortBills): boolean {
  const offered = v4?.browsers ?? undefined;
  const [dear, cheap] = [long, reads.at(-1)].map((one) => offered && one && sumCosts(one.json, offered));
  if (dear === undefined || cheap === undefined) return true;
  const unit = { value: 1n, scale: Math.max(dear.scale, cheap.scale) };
  return compareDecimals(dear, sumDecimals([timesDecimal(cheap, most), unit])) <= 0;
}

/**
 * Returns true if the target file names costs in the records of browsers, and the target offers the fetch of a browser.
 */
function showsCosts({ v4 }: Target): boolean {
  const offered = v4?.browsers ?? undefined;
  return offered !== undefined && offered.get !== null && offered.costs.length > 0;
}
