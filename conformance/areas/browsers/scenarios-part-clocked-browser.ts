import { noBrowsers } from '../../ledger/browser-api.ts';
import type { Exchange } from '../../core/exchange.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { Drive, Scenario } from '../../core/scenario.ts';
import { type LiveBrowser, type PageLook, launch, lookForPage, openPage } from '../common/observed-browser.ts';

/** A browser that nobody has touched for a long time. */
export interface ClockedBrowser {
  browser: LiveBrowser;
  /** What the page has to keep. */
  expected: string;
  /** What a client found afterwards. */
  look: PageLook;
  /** The fetch before it; undefined where the target offers none. */
  fetched: Exchange | undefined;
}

/** Longer than any period that public material names (four hours at most, companion 10 M1), in milliseconds. */
export const untouchedMs = 6 * 60 * 60_000;

const expected = 'untouched';

/** One browser that is left alone while the clock of the target moves. */
export const clockedBrowser: Scenario<ClockedBrowser> = {
  name: 'clocked-browser',
  creates: 'one V4 browser that is left alone while the clock of the target is moved by six hours',
  spend: 'browser',
  dispatches: 0,
  stateful: true,
  movesClock: true,
  unavailable: (target) =>
    noBrowsers(target) ??
    (target.control === null ? 'needs a wait of hours, or a control address in the target file (control)' : undefined),
  drive: (drive) => drive.live(() => leaveAlone(drive)),
};

async function leaveAlone(drive: Drive): Promise<ClockedBrowser> {
  if (drive.clock === undefined) throw new NotTestable('the target file names no control address');
  const { browser } = await launch(drive, {});
  if (browser === undefined) throw new NotTestable('no browser was created, or its answer lacks id or cdpUrl');
  const deadlineMs = drive.target.polling.startDeadlineMs;
  const page = await openPage(drive, browser, { client: 'raw', deadlineMs, kept: expected });
  if ('fault' in page) throw new NotTestable(`no page could be opened in the browser: ${page.fault}`);
  await drive.clock.advance(untouchedMs);
  // What ends with the clock may take a moment to end.
  await drive.pause(drive.target.polling.intervalMs);
  const fetched = await drive.browsers.get(browser.id);
  const look = await lookForPage(drive, browser, page.value);
  const entry = drive.ledger.find('browser', browser.id);
  if (entry !== undefined) await drive.things.end(entry);
  return { browser, expected, look, fetched };
}
