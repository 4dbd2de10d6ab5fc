import { noBrowsers } from '../../ledger/browser-api.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { identifier, type JsonObject } from '../../core/json.ts';
import type { Target } from '../../core/target.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import {
  attempt,
  endBrowser,
  launch,
  type LiveBrowser,
  lookForPage,
  type OpenedPage,
  openPage,
  type PageLook,
  useBrowser,
} from '../../common/observed-browser.ts';
import { readSettled } from '../../common/target-facts.ts';

/** A browser that no client uses for a long time. */
export interface ClockedBrowser {
  browser: LiveBrowser;
  /** Value that the page must still store after the clock was moved. */
  expected: string;
  /**
   * The page as a client found it after the clock was moved; undefined for a simulated browser, of which only the
   * record is read.
   */
  look: PageLook | undefined;
  /**
   * The record of the browser after the clock was moved, fetched before a client connected; undefined if the target
   * offers no fetch.
   */
  fetched: Exchange | undefined;
}

/**
 * Time without a client, in milliseconds. Exceeds every period in public material (at most four hours, companion 10
 * M1).
 */
export const untouchedMs = 6 * 60 * 60_000;

/**
 * Time without a client for a simulated browser, in milliseconds. Of such a browser only the record is read. It may
 * show an end at the companion's `timeout`, one hour by default, so this value stays below one hour.
 */
export const simulatedMs = 50 * 60_000;

const expected = 'untouched';

/**
 * Creates one browser that no client uses while the target's clock advances. Records the browser's record and page
 * afterwards.
 */
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
  try {
    const page = await openLastingPage(context, browser);
    await context.clock.advance(page === undefined ? simulatedMs : untouchedMs);
    // A browser that ends because of the clock may take some time to end.
    await context.pause(context.target.polling.intervalMs);
    const fetched = await context.browsers.get(browser.id);
    const look = page === undefined ? undefined : await lookForPage(context, browser, page);
    return { browser, expected, look, fetched };
  } finally {
    await endBrowser(context, browser);
  }
}

/** Opens the page that the browser must keep. Returns undefined for a simulated browser. */
async function openLastingPage(context: ScenarioContext, browser: LiveBrowser): Promise<OpenedPage | undefined> {
  if (context.target.v4?.browsers?.drivable === false) return undefined;
  const deadlineMs = context.target.polling.startDeadlineMs;
  const page = await openPage(context, browser, { client: 'raw', deadlineMs, kept: expected });
  if ('fault' in page) throw new NotTestable(`no page could be opened in the browser: ${page.fault}`);
  return page.value;
}

/** The billed cost of browsers, as their records show it. */
export interface BilledBrowser {
  /** Record of a browser that was stopped at once. */
  brief: Exchange;
  /** Record of the browser of `brief` an hour after its stop. */
  later: Exchange;
  /** Record of the browser of `brief` after its second stop. */
  again: Exchange;
  /** Record of a browser that ran for an hour before its stop. */
  long: Exchange;
  /**
   * The list of browsers and its item for the browser that was stopped at once; undefined if the target offers no list,
   * or the list has no such item.
   */
  listed: { exchange: Exchange; record: JsonObject } | undefined;
}

/** Lifetime of the browser that shows the cost of an hour, in milliseconds. */
const billedMs = 60 * 60_000;

/**
 * Creates two browsers without the managed proxy. Stops the first browser at once and the second browser after an hour
 * on the target's clock. Records their costs.
 */
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
  await context.browsers.stop(brief.id);
  const again = await fetchBrowser(context, brief);
  return {
    brief: stopped,
    later,
    again,
    listed: await findListed(context, brief),
    long: await stopAndFetch(context, long),
  };
}

async function findListed({ browsers }: ScenarioContext, { id }: LiveBrowser): Promise<BilledBrowser['listed']> {
  const exchange = await browsers.list();
  const record =
    exchange === undefined ? undefined : browsers.listed(exchange)?.find((item) => identifier(item['id']) === id);
  return exchange === undefined || record === undefined ? undefined : { exchange, record };
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
  /**
   * Number of pages that a client found after all pages were closed, or the fault of its last connection. `unable` is
   * the reason why no client could close the pages; other checks judge that.
   */
  seen: { pages: number } | { fault: string } | { unable: string };
}

const client = 'raw';

/** Creates one browser and closes all its pages. Records whether a client can connect again and finds a page. */
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
  await endBrowser(context, browser);
  return { created, seen };
}

async function emptyAndReturn(context: ScenarioContext, browser: LiveBrowser): Promise<EmptiedBrowser['seen']> {
  const deadlineMs = context.target.polling.startDeadlineMs;
  const opened = await openPage(context, browser, { client, deadlineMs, kept: 'last' });
  if ('fault' in opened) return { unable: `no page could be opened: ${opened.fault}` };
  const closed = await attempt(() => useBrowser(context, { browser, client }, (raw) => raw.closePages()));
  return 'fault' in closed ? { unable: `its pages could not be closed: ${closed.fault}` } : findPage(context, browser);
}

/**
 * Counts the pages of the browser until it has a page or the settle deadline has passed, because a page may take some
 * time to open. Returns the last observation.
 */
async function findPage(context: ScenarioContext, browser: LiveBrowser): Promise<EmptiedBrowser['seen']> {
  const look = async (): Promise<{ pages: number } | { fault: string }> => {
    const found = await attempt(() => useBrowser(context, { browser, client }, (raw) => raw.countPages()));
    return 'fault' in found ? found : { pages: Number(found.value) };
  };
  return readSettled(context, look, (seen) => 'pages' in seen && seen.pages > 0);
}
