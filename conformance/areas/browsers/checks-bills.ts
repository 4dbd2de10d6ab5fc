import { check, type Check, type CheckContext } from '../../core/check.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { compareDecimals, parseDecimal, timesDecimal, toDecimal } from '../../core/decimal.ts';
import { browserCost } from '../../ledger/browser-api.ts';
import { memberAt } from '../../core/json.ts';
import type { AnyScenario } from '../../core/scenario.ts';
import type { Target } from '../../core/target.ts';
import { countryBrowsers } from './scenarios-countries.ts';
import { type BrowserBills, findUndoneRefund, isRefunded } from './scenarios-bills.ts';
import { show } from '../../core/text.ts';
import { settleWait } from '../../common/target-facts.ts';
import { billedBrowsers } from './scenarios-lifetime.ts';

/** Checks of the cost in the records of stopped browsers. */
export const browserBillingChecks: readonly Check[] = [
  check('V4-BROWSER-06', { needs: billed, phase: 'last' }, async (t) => {
    if (!isClocked(t.target)) return endsBilling(t, await unclocked(t));
    const { brief, later, long } = await t.recording(billedBrowsers);
    const [then, now] = [sumCost(t, brief), sumCost(t, later)];
    const message = `the record of a browser shows the cost ${then} after its stop and ${now} an hour later; expected that billing has ended`;
    // The refund or the cost itself may appear some time after the stop. A cost that appears late must be that of a
    // short time.
    const isEntered = compareDecimals(toDecimal(then), toDecimal('0')) === 0;
    const hour = toDecimal(sumCost(t, long));
    if (isEntered && compareDecimals(hour, toDecimal('0')) === 0)
      t.notTestable('the record of a browser shows no cost soon after its stop');
    const isKept = isEntered
      ? compareDecimals(timesDecimal(toDecimal(now), 4), hour) < 0
      : compareDecimals(toDecimal(then), toDecimal(now)) >= 0;
    return t.expect(isKept, { exchange: later, message });
  }),
  check('V4-BROWSER-07', { needs: billed }, async (t) => {
    if (!isClocked(t.target)) return refunds(t, await unclocked(t));
    const { brief, later, again, long, listed } = await t.recording(billedBrowsers);
    // A refund may follow the stop, so the later record is compared.
    const [short, hour] = [sumCost(t, later), sumCost(t, long)];
    const twice = `the record of a browser shows the cost ${short} an hour after its stop and ${sumCost(t, again)} after a second stop; expected the same, because its unused time has been refunded`;
    const change = compareDecimals(toDecimal(sumCost(t, again)), toDecimal(short));
    const isFree = compareDecimals(toDecimal(hour), toDecimal('0')) <= 0;
    // A record that shows no cost of an hour may show costs late, so only a fall counts.
    t.expect(change === 0 || (isFree && change > 0), { exchange: again, message: twice });
    if (isFree) t.notTestable('an hour of a browser shows no cost');
    const message = `a browser that was stopped at once shows the cost ${short}, and one that lived for an hour ${hour}; expected less than a quarter, because unused time is refunded`;
    const exchange = sumCost(t, brief) === short ? brief : later;
    t.expect(compareDecimals(timesDecimal(toDecimal(short), 4), toDecimal(hour)) < 0, { exchange, message });
    const browsers = t.target.v4?.browsers;
    const item = listed === undefined || !browsers ? undefined : browserCost(listed.record, browsers);
    if (listed === undefined || item === undefined) return undefined;
    const other = `the list shows the cost ${item} of a stopped browser, and its record ${sumCost(t, again)}; expected the same`;
    const isSame = compareDecimals(toDecimal(item), toDecimal(sumCost(t, again))) === 0;
    return t.expect(isSame, { exchange: listed.exchange, message: other });
  }),
  check('V4-BROWSER-24', { needs: billed }, async (t) => {
    const members = (t.target.v4?.browsers?.costs ?? []).filter((member) => /proxy/i.test(member));
    if (members.length === 0) t.notTestable('the target file names no cost of the proxy (v4.browsers.costs)');
    const long = isClocked(t.target) ? (await t.recording(billedBrowsers)).long : (await unclocked(t)).reads.at(-1);
    for (const member of members) {
      const cost = memberAt(long?.json, member);
      if (typeof cost !== 'string' || parseDecimal(cost) === undefined) continue;
      const message = `${member} of a browser with proxyCountryCode null is ${show(cost)}; expected 0, because it has no managed proxy`;
      t.expect(compareDecimals(toDecimal(cost), toDecimal('0')) === 0, {
        exchange: long,
        member: `/${member}`,
        message,
      });
    }
  }),
];

/** Returns the scenario that shows costs: with the clock of the target, or with browsers that were stopped at once. */
function billed(target: Target): readonly AnyScenario[] {
  return [isClocked(target) ? billedBrowsers : countryBrowsers];
}

function isClocked(target: Target): boolean {
  return billedBrowsers.unavailable?.(target) === undefined;
}

async function unclocked(t: CheckContext): Promise<BrowserBills> {
  const { bills } = await t.recording(countryBrowsers);
  return bills ?? t.notTestable('no record of a stopped browser shows a cost (v4.browsers.costs)');
}

/**
 * Number of further reads, each with a rise, that show that billing goes on. They are spread over the settle deadline,
 * in which a service may still end the browser.
 */
const risesMin = 4;

/**
 * Judges that the reads of a stopped browser do not each show a higher cost than the read before. A single rise may be
 * a late charge. If the cost has risen by the end of the run, reads the record again, until a read shows no rise.
 */
async function endsBilling(t: CheckContext, { id, reads }: BrowserBills): Promise<void> {
  const costs = reads.map((one) => sumCost(t, one));
  const message = `the record of a stopped browser shows the costs ${costs.join(', ')}, one after the other; expected that billing has ended`;
  t.expect(!isOrdered(costs, (before, after) => compareDecimals(toDecimal(before), toDecimal(after)) < 0), {
    exchange: reads.at(-1),
    message,
  });
  const late = await t.browsers.get(id);
  const later = late === undefined || !succeeded(late) ? [] : await readWhileRising(t, id, [reads.at(-1), late]);
  const grown = `the record of a stopped browser shows the costs ${later.map((one) => sumCost(t, one)).join(', ')} some time after its stop, one after the other; expected that billing has ended`;
  t.expect(later.length <= risesMin, { exchange: later.at(-1), message: grown });
}

/**
 * Returns the second of two reads of a browser and further reads of it, as long as each shows a higher cost than the
 * read before; at most `risesMin` + 1 reads. Returns an empty list if the second read shows no higher cost than the
 * first.
 */
async function readWhileRising(
  t: CheckContext,
  id: string,
  [before, late]: readonly [Exchange | undefined, Exchange],
): Promise<Exchange[]> {
  const rising: Exchange[] = [];
  let [last, next]: (Exchange | undefined)[] = [before, late];
  while (last !== undefined && next !== undefined) {
    if (!succeeded(next) || compareDecimals(toDecimal(sumCost(t, last)), toDecimal(sumCost(t, next))) >= 0) break;
    rising.push(next);
    if (rising.length > risesMin) break;
    await t.pause(t.target.polling.settleDeadlineMs / risesMin);
    [last, next] = [next, await t.browsers.get(id)];
  }
  return rising;
}

/**
 * Judges that further stops refund nothing and take no refund back, that no cost is negative, and that unused time is
 * refunded: a browser for a longer time, with a profile or without a client that was stopped at once costs at most
 * `most` times as much as a browser that lived longer. A single fall of the cost may be a late refund.
 */
function refunds(t: CheckContext, bills: BrowserBills): void {
  const { active, reads, late, spares, most } = bills;
  const costs = reads.map((one) => sumCost(t, one));
  const falls = isOrdered(costs, (before, after) => compareDecimals(toDecimal(before), toDecimal(after)) > 0);
  const twice = `the record of a stopped browser shows the costs ${costs.join(', ')} after its stop and after each of two further ones; expected that its unused time is refunded once`;
  t.expect(!falls && costs.every((cost) => compareDecimals(toDecimal(cost), toDecimal('0')) >= 0), {
    exchange: reads.at(-1),
    message: twice,
  });
  const undone = findUndoneRefund(t.target, bills);
  if (undone !== undefined) {
    const message = `the record of a browser shows the cost ${sumCost(t, active)} before its stop, and ${costs.join(', ')} after its stop and after each of two further ones; expected that its refund stays${settleWait(t)}`;
    t.expect(false, { exchange: undone, message });
  }
  // The cost may appear after the further stops.
  const booked = late !== undefined && succeeded(late) ? [...reads, late] : reads;
  const short = booked.map((one) => sumCost(t, one)).at(-1) ?? '0';
  for (const { name, record } of spares) {
    const message = `${name} that was stopped at once costs ${sumCost(t, record)}, and one that lived longer ${short}; expected at most ${most} times as much, because unused time is refunded${settleWait(t)}`;
    t.expect(isRefunded(t.target, record, { reads: booked, most }), { cell: name, exchange: record, message });
  }
}

/** Returns true if a relation holds between each cost and the next one. */
function isOrdered(costs: readonly string[], holds: (before: string, after: string) => boolean): boolean {
  return costs.slice(1).every((cost, index) => holds(costs[index] ?? '0', cost));
}

/** Returns the cost in a record: the sum of its parts. Ends the check as not testable if the record shows no cost. */
function sumCost(t: CheckContext, exchange: Exchange): string {
  const browsers = t.target.v4?.browsers;
  const cost = browsers === null || browsers === undefined ? undefined : browserCost(exchange.json, browsers);
  return cost ?? t.notTestable('the record of a stopped browser shows no cost (v4.browsers.costs)');
}
