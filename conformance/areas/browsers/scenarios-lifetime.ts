import { noBrowsers } from '../../ledger/browser-api.ts';
import type { Exchange } from '../../core/exchange.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { Drive, Scenario } from '../../core/scenario.ts';
import {
  attempt,
  launch,
  type LiveBrowser,
  lookForPage,
  openPage,
  type PageLook,
  useBrowser,
} from '../common/observed-browser.ts';

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

/** A browser whose last page was closed. */
export interface EmptiedBrowser {
  created: Exchange;
  /** What came of it; `unable` when nobody could close the pages of a new browser: other checks judge that. */
  seen: { pages: number } | { fault: string } | { unable: string };
}

const client = 'raw';

/** One browser whose pages are all closed, and whom somebody connects to again. */
export const emptiedBrowser: Scenario<EmptiedBrowser> = {
  name: 'emptied-browser',
  creates: 'one V4 browser whose pages are closed, stopped at once',
  spend: 'browser',
  browsers: () => 1,
  dispatches: 0,
  stateful: true,
  unavailable: noBrowsers,
  drive: (drive) => drive.live(() => driveEmptied(drive)),
};

async function driveEmptied(drive: Drive): Promise<EmptiedBrowser> {
  const { created, browser } = await launch(drive, {});
  if (browser === undefined)
    return { created, seen: { unable: 'no browser was created, or its answer lacks id or cdpUrl' } };
  const seen = await emptyAndReturn(drive, browser);
  const entry = drive.ledger.find('browser', browser.id);
  if (entry !== undefined) await drive.things.end(entry);
  return { created, seen };
}

async function emptyAndReturn(drive: Drive, browser: LiveBrowser): Promise<EmptiedBrowser['seen']> {
  const deadlineMs = drive.target.polling.startDeadlineMs;
  const opened = await openPage(drive, browser, { client, deadlineMs, kept: 'last' });
  if ('fault' in opened) return { unable: `no page could be opened: ${opened.fault}` };
  const closed = await attempt(() => useBrowser(drive, { browser, client }, (raw) => raw.closePages()));
  return 'fault' in closed ? { unable: `its pages could not be closed: ${closed.fault}` } : findPage(drive, browser);
}

/** A page may take a moment to come. */
async function findPage(drive: Drive, browser: LiveBrowser): Promise<EmptiedBrowser['seen']> {
  const deadline = drive.nowMs() + drive.target.polling.settleDeadlineMs;
  const look = async (): Promise<{ pages: number } | { fault: string }> => {
    const found = await attempt(() => useBrowser(drive, { browser, client }, (raw) => raw.countPages()));
    return 'fault' in found ? found : { pages: Number(found.value) };
  };
  let seen = await look();
  while (('fault' in seen || seen.pages === 0) && drive.nowMs() < deadline) {
    await drive.pause(drive.target.polling.intervalMs);
    seen = await look();
  }
  return seen;
}
