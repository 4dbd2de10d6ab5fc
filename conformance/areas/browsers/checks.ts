import { check, type Check, type CheckContext } from '../../core/check.ts';
import { describeAnswer, type Exchange, refused, succeeded, isCapacity } from '../../core/exchange.ts';
import { compareDecimals, parseDecimal, timesDecimal, toDecimal } from '../../core/decimal.ts';
import { browserCost } from '../../ledger/browser-api.ts';
import { identifier, type JsonObject, type JsonValue, memberAt } from '../../core/json.ts';
import {
  countryBrowsers,
  type CountryCell,
  type Egress,
  egressBrowsers,
  isAboutCountry,
} from './scenarios-countries.ts';
import { type AcceptanceProbe, describeProbe } from '../../common/acceptance-probes.ts';
import { drivenBrowser, type DrivenBrowser, type StopObservation } from './scenarios.ts';
import { expectWorks, runScenarios } from '../../common/working-operations.ts';
import { requireDrivable, deadlinePassed } from '../../common/target-facts.ts';
import { show } from '../../common/session-records.ts';
import type { Departure } from '../../core/cdp.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { AnyScenario } from '../../core/scenario.ts';
import type { Target } from '../../core/target.ts';
import { billedBrowsers, clockedBrowser, emptiedBrowser, simulatedMs, untouchedMs } from './scenarios-lifetime.ts';
import type { LiveBrowser, PageLook } from '../../common/observed-browser.ts';

/** Checks of the creation of standalone browsers: accepted bodies and their answers. */
export const browserCreationChecks: readonly Check[] = [
  check('V4-BROWSER-08', { needs: [drivenBrowser], phase: 'last' }, async (t) => {
    await runScenarios(t, drivenBrowser);
    expectWorks(t, 'v4.createBrowser');
    const { created, browser, visits } = await t.recording(drivenBrowser);
    accepted(t, created, 'no members');
    requireDrivable(t);
    if (browser === undefined)
      t.notTestable('the answer carries no id and address, so that no client can look for the browser');
    const message = `no browser was found behind the address of a new one: ${visits[0]?.fault}`;
    t.expect(
      visits.some(({ fault }) => fault === undefined),
      { exchange: created, message },
    );
  }),
  check('V4-BROWSER-09', { needs: [drivenBrowser] }, async (t) => {
    accepted(t, (await t.recording(drivenBrowser)).created, 'no proxyCountryCode');
  }),
  check('V4-BROWSER-12', { needs: [countryBrowsers] }, async (t) => {
    const { codes, probes, listed } = await t.recording(countryBrowsers);
    for (const probe of probes) {
      const { key } = probe.cell;
      if (t.only?.cell !== undefined && t.only.cell !== key) continue;
      const message = `a browser with proxyCountryCode ${describeProbe(probe)}`;
      t.expect(!refusesCode(probe), { cell: key, exchange: probe.exchange, message });
    }
    t.cellTotal(listed, 'the other codes were not drawn (--matrix full sends them all) or met a lack of capacity');
    for (const { code, exchange } of codes) {
      if (t.only?.cell !== undefined && t.only.cell !== code) continue;
      if (isCapacity(exchange.status)) continue;
      const message = `creation with proxyCountryCode ${code} ${describeAnswer(exchange)}; expected that a listed code is accepted`;
      t.expect(succeeded(exchange), { cell: code, exchange, message });
    }
  }),
  check('V4-BROWSER-23', { needs: [countryBrowsers] }, async (t) => {
    for (const { country, exchange } of (await t.recording(countryBrowsers)).defaults) {
      if (isCapacity(exchange.status)) continue;
      const message = `creation with proxyCountryCode ${show(country)} ${describeAnswer(exchange)}; expected success`;
      t.expect(succeeded(exchange), { cell: show(country), exchange, message });
    }
  }),
  check('V4-BROWSER-14', { needs: [drivenBrowser], phase: 'last' }, async (t) => {
    carries(t, await t.recording(drivenBrowser), 'id');
    const owned = new Set<string>();
    for (const exchange of t.recorder.all().filter(isBrowserCreation)) {
      const value = memberAt(exchange.json, 'id');
      const id = identifier(value);
      const message = `the answer to browser creation has id ${show(value)}; expected the id of the browser`;
      t.expect(id !== undefined, { exchange, member: '/id', message });
      const twice = `two creations of a browser answer with the id ${show(value)}; expected one each`;
      t.expect(id === undefined || !owned.has(id), { exchange, member: '/id', message: twice });
      if (id !== undefined) owned.add(id);
    }
  }),
  check('V4-BROWSER-15', { needs: [drivenBrowser], phase: 'last' }, async (t) => {
    carries(t, await t.recording(drivenBrowser), 'cdpUrl');
    ownAddresses(t);
  }),
  check('SVC-02', { needs: [drivenBrowser] }, async (t) => carries(t, await t.recording(drivenBrowser), 'cdpUrl')),
  check('V4-BROWSER-16', { needs: [drivenBrowser] }, async (t) => {
    const { created, shown, otherAddresses, stopped } = await t.recording(drivenBrowser);
    for (const { exchange, cdpUrl, fault } of otherAddresses) {
      const message = `${exchange.operation} shows the live browser with cdpUrl ${show(cdpUrl)}, to which no client can connect (${fault}); the URL of its creation takes clients`;
      t.expect(fault === undefined, { exchange, member: '/cdpUrl', message });
    }
    carries(t, { created }, 'id');
    carries(t, { created }, 'cdpUrl');
    for (const { record, exchange } of shown) {
      const message = `${exchange.operation} shows the live browser as ${show(record)}; expected id and cdpUrl`;
      t.expect(isId(record['id']) && isText(record['cdpUrl']), { exchange, message });
    }
    const after = stopped?.after;
    if (after === undefined || !succeeded(after)) return;
    // The contract does not state whether the record of a stopped browser still shows a URL.
    const message = `the record of the stopped browser is ${show(after.json)}; expected its id`;
    t.expect(isId(memberAt(after.json, 'id')), { exchange: after, message });
  }),
];

/** Returns true if a target refused a code: by the location, or with a 422 that the same request without it did not get. */
function refusesCode({ exchange, without }: AcceptanceProbe<CountryCell>): boolean {
  const isOther = exchange.status === 422 && refused(without) && without.status !== 422 && !isCapacity(without.status);
  return isAboutCountry(exchange) || isOther;
}

function accepted(t: CheckContext, exchange: Exchange, what: string): void {
  if (isCapacity(exchange.status)) t.notTestable(`browser creation ${describeAnswer(exchange)}`);
  const message = `browser creation with ${what} ${describeAnswer(exchange)}; expected success`;
  t.expect(succeeded(exchange), { exchange, message });
  if (!succeeded(exchange)) t.notTestable('no browser was created');
}

function carries(t: CheckContext, { created }: Pick<DrivenBrowser, 'created'>, member: 'id' | 'cdpUrl'): void {
  if (!succeeded(created)) t.notTestable(`browser creation ${describeAnswer(created)}`);
  const value = memberAt(created.json, member);
  const message = `the answer to browser creation has ${member} ${show(value)}; expected ${member === 'id' ? 'an id' : 'an address'}`;
  t.expect(member === 'id' ? isId(value) : isAddress(value), { exchange: created, message });
}

/**
 * Judges that all browsers of the run have different URLs. With a shared URL, a client cannot tell which browser it
 * drives.
 */
function ownAddresses(t: CheckContext): void {
  const owners = new Map<string, string>();
  for (const exchange of t.recorder.all().filter(isBrowserCreation)) {
    const [id, address] = [identifier(memberAt(exchange.json, 'id')), memberAt(exchange.json, 'cdpUrl')];
    const none = `the answer to browser creation has cdpUrl ${show(address)}; expected an address`;
    t.expect(isAddress(address), { exchange, member: '/cdpUrl', message: none });
    if (id === undefined || typeof address !== 'string') continue;
    const owner = owners.get(address) ?? id;
    const message = `the browsers ${owner} and ${id} were created with one cdpUrl; expected an address of its own for each`;
    t.expect(owner === id, { exchange, member: '/cdpUrl', message });
    owners.set(address, owner);
  }
  for (const { exchange, record } of t.recorder.all().flatMap((one) => recordsIn(t, one))) {
    const [id, address] = [identifier(record['id']), record['cdpUrl']];
    const owner = typeof address === 'string' ? owners.get(address) : undefined;
    const message = `${exchange.operation} shows the browser ${id} with the cdpUrl of the browser ${owner}`;
    t.expect(owner === undefined || id === undefined || owner === id, { exchange, message });
  }
}

/** Returns the records of browsers in the answer to a fetch or a list. */
function recordsIn(t: CheckContext, exchange: Exchange): { exchange: Exchange; record: JsonObject }[] {
  if (exchange.generation !== 'v4' || !succeeded(exchange)) return [];
  if (exchange.operation === 'getBrowser') return [{ exchange, record: t.browsers.readRecord(exchange) }];
  const listed = exchange.operation === 'listBrowsers' ? t.browsers.listed(exchange) : undefined;
  return (listed ?? []).map((record) => ({ exchange, record }));
}

function isBrowserCreation(exchange: Exchange): boolean {
  return exchange.generation === 'v4' && exchange.operation === 'createBrowser' && succeeded(exchange);
}

/** Returns true for a complete HTTP or WebSocket URL, which an automation client can connect to. */
function isAddress(value: JsonValue | undefined): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, host } = new URL(value);
  return ['ws:', 'wss:', 'http:', 'https:'].includes(protocol) && host !== '';
}

function isId(value: JsonValue | undefined): boolean {
  return identifier(value) !== undefined;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** Checks of driving a standalone browser with automation clients, and of what must not end it. */
export const browserDrivingChecks: readonly Check[] = [
  check('V4-BROWSER-17', { needs: [drivenBrowser] }, async (t) => {
    const { visits, created } = await drivenOrEnd(t);
    const message = `no client could connect to the cdpUrl and open a page: ${visits[0]?.fault}`;
    t.expect(
      visits.some(({ fault }) => fault === undefined),
      { exchange: created, message },
    );
  }),
  check('SVC-03', { needs: [drivenBrowser] }, async (t) => {
    const { visits, created } = await drivenOrEnd(t);
    for (const { client, fault } of visits) {
      t.expect(fault === undefined, {
        exchange: created,
        message: `the ${client} client could not drive it: ${fault}`,
      });
    }
  }),
  check('V4-BROWSER-22', { needs: [drivenBrowser] }, async (t) => {
    const { together, created } = await drivenOrEnd(t);
    if (together === undefined) throw new NotTestable('one of the clients could not drive the browser by itself');
    const message =
      'fault' in together
        ? `three clients at once could not drive the browser: ${together.fault}`
        : `three clients at once read ${show(together.values.map((value) => value ?? null))} in one page; expected ${together.expected} each`;
    const held = !('fault' in together) && together.values.every((value) => value === together.expected);
    t.expect(held, { exchange: created, message });
  }),
  check('V4-BROWSER-01', { needs: [drivenBrowser] }, (t) => survives(t, 'leave', 'had ended its connection')),
  check('V4-BROWSER-02', { needs: [drivenBrowser] }, (t) => survives(t, 'close', 'had closed the browser object')),
  check('V4-BROWSER-03', { needs: [drivenBrowser] }, (t) => survives(t, 'drop', 'had lost its connection')),
  check('V4-BROWSER-27', { needs: [drivenBrowser] }, async (t) => {
    const { emptied, created } = await t.recording(drivenBrowser);
    if (emptied === undefined) return t.notTestable('no client could close the pages of the browser');
    const fault = 'fault' in emptied ? emptied.fault : undefined;
    const message = `after the last page of the browser had been closed no client could connect: ${fault}; expected that only the stop operation stops it`;
    return t.expect(fault === undefined, { exchange: created, message });
  }),
  check('V4-BROWSER-25', { needs: [countryBrowsers, drivenBrowser] }, async (t) => {
    const { keyless } = await t.recording(drivenBrowser);
    const denied = keyless === undefined ? [] : [{ name: 'requests without a usable key', record: keyless }];
    const attempts = [...(await t.recording(countryBrowsers)).attempts, ...denied];
    const judged = attempts.filter(({ record }) => t.browsers.hasEnded(record) !== undefined);
    if (judged.length === 0) t.notTestable('no record of a live browser says whether it has ended');
    for (const { created, isNeighborCut } of (await t.recording(countryBrowsers)).stops) {
      const message =
        'a client lost its connection to a browser when another browser was stopped; expected that the stop affects its own browser';
      t.expect(isNeighborCut !== true, { cell: 'a connection beside a stop', exchange: created, message });
    }
    for (const { name, record } of judged) {
      const message = `after ${name} the record of a live browser says that it has ended; expected that only the stop operation stops it`;
      t.expect(t.browsers.hasEnded(record) === false, { cell: name, exchange: record, message });
    }
  }),
  check('V4-BROWSER-04', { needs: untouched }, async (t) => {
    const simulated = t.target.v4?.browsers?.drivable === false;
    if (simulated) {
      const { untouched: fetched } = await t.recording(drivenBrowser);
      if (fetched !== undefined) stillActive(t, fetched, 'seconds');
    }
    const why = clockedBrowser.unavailable?.(t.target);
    if (why !== undefined) return simulated ? undefined : t.notTestable(why);
    return livesOn(t);
  }),
];

/**
 * Returns the scenarios in which no client uses a browser for some time. Without a control URL, this time is short and
 * the browser is a simulated one.
 */
function untouched(target: Target): readonly AnyScenario[] {
  const isClocked = clockedBrowser.unavailable?.(target) === undefined;
  const isSimulated = target.v4?.browsers?.drivable === false;
  return isClocked && isSimulated ? [drivenBrowser, clockedBrowser] : [isSimulated ? drivenBrowser : clockedBrowser];
}

async function livesOn(t: CheckContext): Promise<void> {
  const { browser, look, expected, fetched } = await t.recording(clockedBrowser);
  const exchange = fetched ?? browser.created;
  if (look === undefined) {
    if (fetched === undefined) t.notTestable('the browsers are simulated, and no record says whether one has ended');
    return stillActive(t, fetched, `${simulatedMs / 60_000} minutes`);
  }
  const hours = untouchedMs / 3_600_000;
  const message = `after ${hours} hours in which no client touched it the browser ${pageText(look)}; expected that only the stop operation stops it`;
  return t.expect(look.value === expected, { exchange, message });
}

/** Judges the record of a simulated browser that no client has touched for a while. */
function stillActive(t: CheckContext, fetched: Exchange, time: string): void {
  const ended = t.browsers.hasEnded(fetched);
  if (ended === undefined) t.notTestable('the browsers are simulated, and no record says whether one has ended');
  const message = `after ${time} in which no client touched it the record of the browser says that it has ended; expected that only the stop operation stops it`;
  t.expect(!ended, { exchange: fetched, message });
}

async function drivenOrEnd(t: CheckContext): Promise<DrivenBrowser & { browser: LiveBrowser }> {
  requireDrivable(t);
  const recording = await t.recording(drivenBrowser);
  const { browser } = recording;
  return browser === undefined
    ? t.notTestable('no browser was created, or its answer lacks id or cdpUrl')
    : { ...recording, browser };
}

async function survives(t: CheckContext, departure: Departure, what: string): Promise<void> {
  const { reconnections, created: known } = await t.recording(drivenBrowser);
  const reconnection = reconnections.find((one) => one.departure === departure);
  if (reconnection !== undefined) {
    const message = `after a client ${what}, another client could not connect to the browser: ${reconnection.fault}`;
    return t.expect(reconnection.fault === undefined, { exchange: known, message });
  }
  const { departureTrials, created } = await drivenOrEnd(t);
  const said = departureTrials.filter((trial) => trial.departure === departure);
  for (const { client, expected, after } of said) {
    const message = `after the ${client} client ${what}, the browser ${pageText(after)}; expected the same page with what it kept ("${expected}")`;
    t.expect(after.value === expected, { exchange: created, message });
  }
  if (said.length === 0) t.notTestable('no client could be attached to go away again');
}

function pageText({ value, fault }: PageLook): string {
  return fault === undefined ? `kept ${show(value)}` : `was not found (${fault})`;
}

/** Checks of the egress of standalone browsers, as the country checker of the target file sees it. */
export const browserEgressChecks: readonly Check[] = [
  check('V4-BROWSER-10', { needs: [egressBrowsers] }, async (t) => {
    const { plain, us } = await t.recording(egressBrowsers);
    const [without, withUs] = [shownMember(t, plain, 'country'), shownMember(t, us, 'country')];
    const message = `the checker saw a browser with us in ${withUs}, and one without a country in ${without}; expected the same`;
    t.expect(withUs === without, { exchange: us.created, message });
  }),
  check('V4-BROWSER-11', { needs: [egressBrowsers] }, async (t) => {
    const { us, none } = await t.recording(egressBrowsers);
    const [proxied, bare] = [shownMember(t, us, 'address'), shownMember(t, none, 'address')];
    const message = `the checker saw a browser with null at ${bare}, the address of the managed proxy; expected another one`;
    t.expect(bare !== proxied, { exchange: none.created, message });
  }),
  check('SVC-05', { needs: [egressBrowsers] }, async (t) => {
    const { us, other } = await t.recording(egressBrowsers);
    const read = [
      { code: 'us', egress: us },
      { code: other.code, egress: other },
    ].filter(({ egress }) => egress.country !== undefined);
    for (const { code, egress } of read) {
      const message = `the checker saw a browser with proxyCountryCode ${code} in ${egress.country}`;
      t.expect(egress.country === code, { cell: code, exchange: egress.created, message });
    }
    if (read.length === 0) shownMember(t, us, 'country');
  }),
];

function shownMember(t: CheckContext, egress: Egress, member: 'country' | 'address'): string {
  const value = egress[member];
  return value ?? t.notTestable(egress.fault ?? `the country checker shows no ${member} (checkers.${member}In)`);
}

/** Checks of the lifetime of standalone browsers. */
export const browserLifeChecks: readonly Check[] = [
  check('BROWSER-LIFE-01', { needs: [emptiedBrowser] }, async (t) => {
    const { created, seen } = await t.recording(emptiedBrowser);
    if ('unable' in seen) return t.notTestable(seen.unable);
    const held = 'pages' in seen && seen.pages > 0;
    if (!held) deadlinePassed(t, 'settleDeadlineMs');
    const found = 'fault' in seen ? `could not connect again: ${seen.fault}` : 'found no page';
    const message = `a client that connected after the last page of the browser had been closed ${found}; expected a page`;
    return t.expect(held, { exchange: created, message });
  }),
];

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
