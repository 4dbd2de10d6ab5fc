import type { Departure } from '../../transport/cdp/index.ts';
import { type Check, type CheckContext, check } from '../../core/check.ts';
import { NotTestable } from '../../core/outcome.ts';
import { clockedBrowser, untouchedMs } from './scenarios-part-clocked-browser.ts';
import { type DrivenBrowser, drivenBrowser } from './scenarios-part-driven-browser.ts';
import type { LiveBrowser, PageLook } from '../common/observed-browser.ts';
import { asDrivable } from '../common/target-facts.ts';
import { show } from '../common/session-records.ts';

/** What automation clients can do with a standalone browser, and what does not end it. */
export const browserDrivingChecks: readonly Check[] = [
  check('V4-BROWSER-17', { needs: [drivenBrowser] }, async (t) => {
    const { visits, created } = await driven(t);
    const message = `no client could connect to the cdpUrl and open a page: ${visits[0]?.fault}`;
    t.expect(
      visits.some(({ fault }) => fault === undefined),
      { exchange: created, message },
    );
  }),
  check('SVC-03', { needs: [drivenBrowser] }, async (t) => {
    const { visits, created } = await driven(t);
    for (const { client, fault } of visits) {
      t.expect(fault === undefined, {
        exchange: created,
        message: `the ${client} client could not drive it: ${fault}`,
      });
    }
  }),
  check('V4-BROWSER-22', { needs: [drivenBrowser] }, async (t) => {
    const { together, created } = await driven(t);
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
  check('V4-BROWSER-04', { needs: [clockedBrowser] }, async (t) => {
    const { browser, look, expected, fetched } = await t.recording(clockedBrowser);
    const hours = untouchedMs / 3_600_000;
    const exchange = fetched ?? browser.created;
    const message = `after ${hours} hours in which nobody touched it the browser ${found(look)}; expected that only the stop operation stops it`;
    t.expect(look.value === expected, { exchange, message });
  }),
];

async function driven(t: CheckContext): Promise<DrivenBrowser & { browser: LiveBrowser }> {
  asDrivable(t);
  const recording = await t.recording(drivenBrowser);
  const { browser } = recording;
  return browser === undefined
    ? t.notTestable('no browser was created, or its answer lacks id or cdpUrl')
    : { ...recording, browser };
}

async function survives(t: CheckContext, departure: Departure, what: string): Promise<void> {
  const { goodbyes, created } = await driven(t);
  const said = goodbyes.filter((goodbye) => goodbye.departure === departure);
  for (const { client, expected, after } of said) {
    const message = `after the ${client} client ${what}, the browser ${found(after)}; expected the same page with what it kept ("${expected}")`;
    t.expect(after.value === expected, { exchange: created, message });
  }
  if (said.length === 0) t.notTestable('no client could be attached to go away again');
}

function found({ value, fault }: PageLook): string {
  return fault === undefined ? `kept ${show(value)}` : `was not found (${fault})`;
}
