import { noBrowsers } from '../../ledger/browser-api.ts';
import type { Exchange } from '../../core/exchange.ts';
import type { Drive, Scenario } from '../../core/scenario.ts';
import { type LiveBrowser, attempt, launch, openPage, useBrowser } from '../common/observed-browser.ts';

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
