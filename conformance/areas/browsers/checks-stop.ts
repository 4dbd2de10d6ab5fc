import { isBrowserCreation } from './checks-creation.ts';
import { check, type Check, type CheckContext } from '../../core/check.ts';
import { describeAnswer, type Exchange, succeeded, isCapacity } from '../../core/exchange.ts';
import { compareDecimals, parseDecimal, timesDecimal, toDecimal } from '../../core/decimal.ts';
import { browserCost } from '../../ledger/browser-api.ts';
import { identifier, memberAt } from '../../core/json.ts';
import { countryBrowsers } from './scenarios-countries.ts';
import { drivenBrowser, type StopObservation } from './scenarios.ts';
import { expectWorks, runScenarios } from '../../common/working-operations.ts';
import { deadlinePassed } from '../../common/target-facts.ts';
import { show } from '../../common/session-records.ts';
import { billedBrowsers } from './scenarios-lifetime.ts';

/** Checks of the cost in the records of stopped browsers. */
export const browserBillingChecks: readonly Check[] = [
  check('V4-BROWSER-06', { needs: [billedBrowsers] }, async (t) => {
    const { brief, later } = await t.recording(billedBrowsers);
    const [then, now] = [sumCost(t, brief), sumCost(t, later)];
    const message = `the record of a browser shows the cost ${then} after its stop and ${now} an hour later; expected that billing has ended`;
    // A refund may follow the stop.
    t.expect(compareDecimals(toDecimal(then), toDecimal(now)) >= 0, { exchange: later, message });
  }),
  check('V4-BROWSER-07', { needs: [billedBrowsers] }, async (t) => {
    const { brief, later, again, long, listed } = await t.recording(billedBrowsers);
    // A refund may follow the stop: the record is compared as it is later.
    const [short, hour] = [sumCost(t, later), sumCost(t, long)];
    if (compareDecimals(toDecimal(hour), toDecimal('0')) <= 0) t.notTestable('an hour of a browser shows no cost');
    const message = `a browser that was stopped at once shows the cost ${short}, and one that lived for an hour ${hour}; expected less than a quarter, because unused time is refunded`;
    const exchange = sumCost(t, brief) === short ? brief : later;
    t.expect(compareDecimals(timesDecimal(toDecimal(short), 4), toDecimal(hour)) < 0, { exchange, message });
    const twice = `the record of a browser shows the cost ${short} an hour after its stop and ${sumCost(t, again)} after a second stop; expected the same, because its unused time has been refunded`;
    t.expect(compareDecimals(toDecimal(sumCost(t, again)), toDecimal(short)) === 0, {
      exchange: again,
      message: twice,
    });
    const browsers = t.target.v4?.browsers;
    const item = listed === undefined || !browsers ? undefined : browserCost(listed.record, browsers);
    if (listed === undefined || item === undefined) return;
    const other = `the list shows the cost ${item} of a stopped browser, and its record ${sumCost(t, again)}; expected the same`;
    const isSame = compareDecimals(toDecimal(item), toDecimal(sumCost(t, again))) === 0;
    t.expect(isSame, { exchange: listed.exchange, message: other });
  }),
  check('V4-BROWSER-24', { needs: [billedBrowsers] }, async (t) => {
    const members = (t.target.v4?.browsers?.costs ?? []).filter((member) => /proxy/i.test(member));
    if (members.length === 0) t.notTestable('the target file names no cost of the proxy (v4.browsers.costs)');
    const { long } = await t.recording(billedBrowsers);
    for (const member of members) {
      const cost = memberAt(long.json, member);
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

/** Returns the cost in a record: the sum of its parts. */
function sumCost(t: CheckContext, exchange: Exchange): string {
  const browsers = t.target.v4?.browsers;
  const cost = browsers === null || browsers === undefined ? undefined : browserCost(exchange.json, browsers);
  return cost ?? t.notTestable('the record of a stopped browser shows no cost (v4.browsers.costs)');
}

/** Checks of the stop operation of standalone browsers. */
export const browserStopChecks: readonly Check[] = [
  check('V4-BROWSER-05', { needs: [drivenBrowser] }, async (t) => {
    await idTaken(t);
  }),
  check('V4-BROWSER-20', { needs: [drivenBrowser], phase: 'last' }, async (t) => {
    await idTaken(t);
    answersOwnBrowser(t);
  }),
  check('V4-BROWSER-18', { needs: [drivenBrowser, countryBrowsers], phase: 'last' }, async (t) => {
    await runScenarios(t, drivenBrowser);
    expectWorks(t, 'v4.stopBrowser');
    const { exchange, driven, after, ended } = await idTaken(t);
    await listsEnds(t);
    for (const stop of (await t.recording(countryBrowsers)).stops) {
      if (!stop.ended) deadlinePassed(t, 'settleDeadlineMs');
      const unended = `a browser that was created with ${stop.created.request.body} had not ended after its stop`;
      t.expect(stop.ended, { exchange: stop.created, message: unended });
    }
    if (driven === true || ended === false) deadlinePassed(t, 'settleDeadlineMs');
    t.expect(driven !== true, {
      exchange,
      message: 'a client that was attached still drives the browser after its stop',
    });
    t.expect(ended !== false, {
      exchange: after ?? exchange,
      message: 'the record does not say after the stop that the browser has ended',
    });
  }),
  check('V4-BROWSER-19', { needs: [drivenBrowser, countryBrowsers] }, async (t) => {
    for (const { created, isReached } of (await t.recording(countryBrowsers)).stops) {
      const message = 'the CDP address of a stopped browser gives a working browser while another one is active';
      t.expect(isReached !== true, { exchange: created, message });
    }
    const { exchange, works } = await stopOrEnd(t);
    if (!succeeded(exchange)) t.notTestable(`the stop operation ${describeAnswer(exchange)}`);
    if (works) deadlinePassed(t, 'settleDeadlineMs');
    t.expect(!works, { exchange, message: 'the CDP address still gives a working browser after the stop' });
  }),
];

/** Judges that no stop of a browser answers with the record of another one. */
function answersOwnBrowser(t: CheckContext): void {
  const all = t.recorder.all();
  const owned = new Set(all.filter(isBrowserCreation).map(({ json }) => identifier(memberAt(json, 'id'))));
  for (const exchange of all.filter((one) => one.operation === 'stopBrowser' && succeeded(one))) {
    const shown = identifier(memberAt(exchange.json, 'id'));
    if (shown === undefined || !owned.has(shown)) continue;
    const named = decodeURIComponent(new URL(exchange.request.url).pathname.split('/').at(-1) ?? '');
    const message = `the stop of the browser ${named} answers with the browser ${shown}; expected the browser of the path`;
    t.expect(shown.toLowerCase() === named.toLowerCase(), { exchange, member: '/id', message });
  }
}

/** Judges that a list shows no browser as active whose record said longer ago than the settle deadline that it has ended. */
async function listsEnds(t: CheckContext): Promise<void> {
  const list = t.readOnly ? undefined : await t.browsers.list();
  if (list === undefined) return;
  const settled = list.atMs - t.target.polling.settleDeadlineMs;
  const ended = t.recorder.all().filter((one) => one.atMs < settled && isEndedFetch(t, one));
  const ids = new Set(ended.map(({ json }) => identifier(memberAt(json, 'id'))));
  const active = t.browsers.listed(list)?.filter((record) => t.browsers.isEndedRecord(record) === false) ?? [];
  for (const id of active.flatMap((record) => identifier(record['id']) ?? [])) {
    const message = `the list shows the browser ${id} as active, and its record said before that it has ended; expected one status`;
    t.expect(!ids.has(id), { cell: 'the list', exchange: list, message });
  }
}

function isEndedFetch(t: CheckContext, exchange: Exchange): boolean {
  return exchange.operation === 'getBrowser' && succeeded(exchange) && t.browsers.hasEnded(exchange) === true;
}

async function idTaken(t: CheckContext): Promise<StopObservation> {
  const seen = await stopOrEnd(t);
  const { exchange } = seen;
  if (exchange.status !== 409 && isCapacity(exchange.status))
    t.notTestable(`the stop operation ${describeAnswer(exchange)}`);
  const message = `the stop operation with the id from creation ${describeAnswer(exchange)}; expected success`;
  t.expect(succeeded(exchange), { exchange, message });
  return seen;
}

async function stopOrEnd(t: CheckContext): Promise<StopObservation> {
  const recording = await t.recording(drivenBrowser);
  return recording.stopped ?? t.notTestable('no browser was created, or its answer lacks id or cdpUrl');
}
