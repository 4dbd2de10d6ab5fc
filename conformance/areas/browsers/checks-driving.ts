import { check, type Check, type CheckContext } from '../../core/check.ts';
import { type Exchange } from '../../core/exchange.ts';
import { countryBrowsers } from './scenarios-countries.ts';
import { drivenBrowser, type DrivenBrowser, longText } from './scenarios.ts';
import { requireDrivable } from '../../common/target-facts.ts';
import { show } from '../../core/text.ts';
import type { Departure } from '../../core/cdp.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { AnyScenario } from '../../core/scenario.ts';
import type { Target } from '../../core/target.ts';
import { clockedBrowser, emptiedBrowser, simulatedMs, untouchedMs } from './scenarios-lifetime.ts';
import type { LiveBrowser, PageLook } from '../../common/observed-browser.ts';

/** Checks of driving a standalone browser with automation clients, and of events that must not end it. */
export const browserDrivingChecks: readonly Check[] = [
  check('V4-BROWSER-17', { needs: [drivenBrowser, countryBrowsers] }, async (t) => {
    for (const { created: exchange, unanswered } of (await t.recording(countryBrowsers)).stops) {
      const message = `no client could connect to the cdpUrl of a browser that was created with ${exchange.request.body}: ${unanswered}; expected a connection, because a client has connected to another browser`;
      t.expect(unanswered === undefined, { exchange, member: '/cdpUrl', message });
    }
    const { visits, created } = await drivenOrEnd(t);
    const message = `no client could connect to the cdpUrl and open a page: ${visits[0]?.fault}; expected that at least one can`;
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
        message: `the ${client} client could not drive the browser: ${fault}; expected that it can`,
      });
    }
    const { long } = await t.recording(drivenBrowser);
    if (long === undefined) return;
    const came = 'fault' in long ? long.fault : `${long.value?.length ?? 0} characters came, or other ones`;
    const message = `a client read a text of ${longText.length} characters from a page: ${came}; expected the text`;
    t.expect('value' in long && long.value === longText, { exchange: created, message });
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
    for (const { created, isNeighborCut, isTwinCut } of (await t.recording(countryBrowsers)).stops) {
      const cut =
        'no client could connect to a browser any more when another browser in its country was created; expected that the creation affects no other browser';
      t.expect(isTwinCut !== true, { cell: 'a creation beside it', exchange: created, message: cut });
      if (isNeighborCut === undefined) continue;
      const message =
        'a client lost its connection to a browser when another browser was stopped; expected that the stop affects its own browser';
      t.expect(!isNeighborCut, { cell: 'a connection beside a stop', exchange: created, message });
    }
    if (judged.length === 0) t.notTestable('no record of a live browser says whether it has ended');
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
 * Returns the scenarios that observe a browser that no client uses for some time. For simulated browsers:
 * `drivenBrowser` (seconds), and `clockedBrowser` (a moved clock) if the target can run it. For real browsers:
 * `clockedBrowser`.
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

/**
 * Judges that the record of a simulated browser does not show an end after a time in which no client has used the
 * browser. Ends the check as not testable if the record does not say whether the browser has ended.
 */
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
    const message = `after a client ${what}, another client could not connect to the browser: ${reconnection.fault}; expected that the browser still works`;
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

/** Checks of the lifetime of standalone browsers. */
export const browserLifeChecks: readonly Check[] = [
  check('BROWSER-LIFE-01', { needs: [emptiedBrowser] }, async (t) => {
    const { created, seen } = await t.recording(emptiedBrowser);
    if ('unable' in seen) return t.notTestable(seen.unable);
    const held = 'pages' in seen && seen.pages > 0;
    const found = 'fault' in seen ? `could not connect again: ${seen.fault}` : 'found no page';
    const message = `a client that connected after the last page of the browser had been closed ${found}; expected a page`;
    return t.expect(held, { exchange: created, message });
  }),
];
