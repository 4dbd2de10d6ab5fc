import { noBrowsers } from '../../ledger/browser-api.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import type { Target } from '../../core/target.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import {
  attempt,
  launch,
  type LiveBrowser,
  lookForPage,
  type OpenedPage,
  openPage,
  type PageLook,
  useBrowser,
} from '../../common/observed-browser.ts';

/** A browser that no client has touched for a long time. */
export interface ClockedBrowser {
  browser: LiveBrowser;
  /** What the page has to keep. */
  expected: string;
  /** What a client found afterwards; undefined for a simulated browser, of which only the record tells. */
  look: PageLook | undefined;
  /** The fetch before it; undefined where the target offers none. */
  fetched: Exchange | undefined;
}

/** Longer than any period that public material names (four hours at most, companion 10 M1), in milliseconds. */
export const untouchedMs = 6 * 60 * 60_000;

/** For a simulated browser, whose record also shows the end that the companion's `timeout` sets: far below the default of an hour. */
export const simulatedMs = 5 * 60_000;

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
  run: (context) => context.live(() => leaveAlone(context)),
};

async function leaveAlone(context: ScenarioContext): Promise<ClockedBrowser> {
  if (context.clock === undefined) throw new NotTestable('the target file names no control address');
  const { browser } = await launch(context, {});
  if (browser === undefined) throw new NotTestable('no browser was created, or its answer lacks id or cdpUrl');
  const page = await openLastingPage(context, browser);
  await context.clock.advance(page === undefined ? simulatedMs : untouchedMs);
  // What ends with the clock may take a moment to end.
  await context.pause(context.target.polling.intervalMs);
  const fetched = await context.browsers.get(browser.id);
  const look = page === undefined ? undefined : await lookForPage(context, browser, page);
  const entry = context.ledger.find('browser', browser.id);
  if (entry !== undefined) await context.resources.end(entry);
  return { browser, expected, look, fetched };
}

// Undefined for a simulated browser.
async function openLastingPage(context: ScenarioContext, browser: LiveBrowser): Promise<OpenedPage | undefined> {
  if (context.target.v4?.browsers?.drivable === false) return undefined;
  const deadlineMs = context.target.polling.startDeadlineMs;
  const page = await openPage(context, browser, { client: 'raw', deadlineMs, kept: expected });
  if ('fault' in page) throw new NotTestable(`no page could be opened in the browser: ${page.fault}`);
  return page.value;
}

/** What a browser is billed, as its records show it. */
export interface BilledBrowser {
  /** The record of one that was stopped at once. */
  brief: Exchange;
  /** The same record after an hour. */
  later: Exchange;
  /** The record of one that lived for an hour before its stop. */
  long: Exchange;
}

/** How long the browser lives that shows what an hour costs, in milliseconds. */
const billedMs = 60 * 60_000;

/** Two browsers without the managed proxy: one is stopped at once, the other one after an hour on the clock of the target. */
export const billedBrowsers: Scenario<BilledBrowser> = {
  name: 'billed-browsers',
  creates: 'two V4 browsers, one of them for an hour on the clock of the target',
  spend: 'browser',
  browsers: () => 2,
  dispatches: 0,
  stateful: true,
  movesClock: true,
  unavailable: (target) => noBrowsers(target) ?? whyNotBilled(target),
  run: (context) => context.live(() => billBrowsers(context)),
};

function whyNotBilled({ control, v4 }: Target): string | undefined {
  if ((v4?.browsers?.costs.length ?? 0) === 0)
    return 'the target file says that no record shows a cost (v4.browsers.costs)';
  if (v4?.browsers?.get === null) return 'the target file says that no browser can be fetched (v4.browsers.get)';
  return control === null ? 'needs a wait of an hour, or a control address in the target file (control)' : undefined;
}

async function billBrowsers(context: ScenarioContext): Promise<BilledBrowser> {
  const brief = await launchWithoutProxy(context);
  const stopped = await stopAndFetch(context, brief);
  const long = await launchWithoutProxy(context);
  await context.clock?.advance(billedMs);
  const later = await fetchBrowser(context, brief);
  return { brief: stopped, later, long: await stopAndFetch(context, long) };
}

async function launchWithoutProxy(context: ScenarioContext): Promise<LiveBrowser> {
  const { browser } = await launch(context, { proxyCountryCode: null });
  if (browser === undefined) throw new NotTestable('no browser was created, or its answer lacks id or cdpUrl');
  return browser;
}

async function stopAndFetch(context: ScenarioContext, browser: LiveBrowser): Promise<Exchange> {
  const entry = context.ledger.find('browser', browser.id);
  if (entry === undefined || !(await context.resources.end(entry)))
    throw new NotTestable('the browser did not end after its stop');
  return fetchBrowser(context, browser);
}

async function fetchBrowser(context: ScenarioContext, { id }: LiveBrowser): Promise<Exchange> {
  const fetched = await context.browsers.get(id);
  if (fetched === undefined || !succeeded(fetched))
    throw new NotTestable('a stopped browser is not shown, so that nothing tells what it has cost');
  return fetched;
}

/** A browser whose last page was closed. */
export interface EmptiedBrowser {
  created: Exchange;
  /** What came of it; `unable` when no client could close the pages of a new browser: other checks judge that. */
  seen: { pages: number } | { fault: string } | { unable: string };
}

const client = 'raw';

/** One browser whose pages are all closed, and to which a client connects again. */
export const emptiedBrowser: Scenario<EmptiedBrowser> = {
  name: 'emptied-browser',
  creates: 'one V4 browser whose pages are closed, stopped at once',
  spend: 'browser',
  browsers: () => 1,
  dispatches: 0,
  stateful: true,
  unavailable: noBrowsers,
  run: (context) => context.live(() => driveEmptied(context)),
};

async function driveEmptied(context: ScenarioContext): Promise<EmptiedBrowser> {
  const { created, browser } = await launch(context, {});
  if (browser === undefined)
    return { created, seen: { unable: 'no browser was created, or its answer lacks id or cdpUrl' } };
  const seen = await emptyAndReturn(context, browser);
  const entry = context.ledger.find('browser', browser.id);
  if (entry !== undefined) await context.resources.end(entry);
  return { created, seen };
}

async function emptyAndReturn(context: ScenarioContext, browser: LiveBrowser): Promise<EmptiedBrowser['seen']> {
  const deadlineMs = context.target.polling.startDeadlineMs;
  const opened = await openPage(context, browser, { client, deadlineMs, kept: 'last' });
  if ('fault' in opened) return { unable: `no page could be opened: ${opened.fault}` };
  const closed = await attempt(() => useBrowser(context, { browser, client }, (raw) => raw.closePages()));
  return 'fault' in closed ? { unable: `its pages could not be closed: ${closed.fault}` } : findPage(context, browser);
}

/** A page may take a moment to come. */
async function findPage(context: ScenarioContext, browser: LiveBrowser): Promise<EmptiedBrowser['seen']> {
  const deadline = context.nowMs() + context.target.polling.settleDeadlineMs;
  const look = async (): Promise<{ pages: number } | { fault: string }> => {
    const found = await attempt(() => useBrowser(context, { browser, client }, (raw) => raw.countPages()));
    return 'fault' in found ? found : { pages: Number(found.value) };
  };
  let seen = await look();
  while (('fault' in seen || seen.pages === 0) && context.nowMs() < deadline) {
    await context.pause(context.target.polling.intervalMs);
    seen = await look();
  }
  return seen;
}
