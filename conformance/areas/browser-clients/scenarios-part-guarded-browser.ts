import { noBrowsers } from '../../ledger/browser-api.ts';
import type { Exchange } from '../../core/exchange.ts';
import { memberAt } from '../../core/json.ts';
import { createRandom } from '../../core/random.ts';
import type { Drive, Scenario } from '../../core/scenario.ts';
import {
  type LiveBrowser,
  type OpenedPage,
  attempt,
  keptValue,
  launch,
  openPage,
  useBrowser,
} from '../common/observed-browser.ts';
import { type PageDownload, downloadFromPage } from './scenarios-part-page-download.ts';
import { unknownAddress } from './scenarios-part-unknown-address.ts';
import { withoutEnd } from '../../core/without-end.ts';

/** What discovery below an address has said, and whether a client could connect to what it names. */
export interface Discovery {
  exchange: Exchange;
  /** Undefined where it names no address. */
  works: boolean | undefined;
}

/** What the address of a browser opens, and what it does not. */
export interface GuardedBrowser {
  created: Exchange;
  /** Undefined when nobody could work in the browser: other checks judge that. */
  seen:
    | {
        /** Whether a client could work behind an address that nobody has handed out; undefined when there is none of the form. */
        unknown: boolean | undefined;
        discovery: { live: Discovery; unknown: Discovery | undefined; stopped: Discovery };
        /** What is listed as pages of the browser while it lives and after its stop; the page that is open has this mark. */
        pages: { mark: string; live: Exchange; stopped: Exchange };
        /** What came of a text that went into the page and back, or why nothing did. */
        large: { length: number } | { fault: string };
        /** What came of a download, or why nobody can tell. */
        download: PageDownload | string;
        /** The page of this browser in the one after it: what it kept, or undefined when it was not there. */
        next: { kept: string | undefined } | { fault: string };
      }
    | undefined;
}

/** Characters of the text that has to pass whole. */
export const largeText = 100_000;

const client = 'raw';

/** A browser whose address is tried, changed and tried again after the stop, and one that comes after it. */
export const guardedBrowser: Scenario<GuardedBrowser> = {
  name: 'guarded-browser',
  creates: 'two V4 browsers, one after the other, stopped at once',
  spend: 'browser',
  browsers: () => 2,
  dispatches: 0,
  stateful: true,
  unavailable: noBrowsers,
  drive: (drive) => drive.live(() => driveGuarded(drive)),
};

async function driveGuarded(drive: Drive): Promise<GuardedBrowser> {
  const { created, browser } = await launch(drive, {});
  const deadlineMs = drive.target.polling.startDeadlineMs;
  const opened =
    browser === undefined ? undefined : await openPage(drive, browser, { client, deadlineMs, kept: 'mine' });
  if (browser === undefined || opened === undefined || 'fault' in opened) return { created, seen: undefined };
  const changed = unknownAddress(browser.cdpUrl, createRandom(drive.seed));
  const unknown = changed === undefined ? undefined : await works(drive, changed);
  const live = await discover(drive, browser.cdpUrl);
  const below = changed === undefined ? undefined : await discover(drive, changed);
  const listed = await ask(drive, browser.cdpUrl, 'list');
  const large = await sendLarge(drive, browser, opened.value);
  const download = await downloadFromPage(drive, browser, opened.value);
  await end(drive, browser);
  const discovery = { live, unknown: below, stopped: await discoverDead(drive, browser.cdpUrl) };
  const pages = { mark: opened.value.mark, live: listed, stopped: await ask(drive, browser.cdpUrl, 'list') };
  return { created, seen: { unknown, discovery, pages, large, download, next: await lookInNext(drive, opened.value) } };
}

async function works(drive: Drive, address: string): Promise<boolean> {
  return !('fault' in (await attempt(() => drive.cdp.use(client, address, (raw) => raw.ping()))));
}

function ask(drive: Drive, cdpUrl: string, what: 'version' | 'list'): Promise<Exchange> {
  const url = new URL(cdpUrl.replace(/^ws/, 'http'));
  url.pathname = `${withoutEnd(url.pathname, /\//)}/json/${what}`;
  return drive.send({ generation: 'other', operation: 'cdpDiscovery', method: 'GET', key: 'none', path: url.href });
}

async function discover(drive: Drive, cdpUrl: string): Promise<Discovery> {
  const exchange = await ask(drive, cdpUrl, 'version');
  const address = memberAt(exchange.json, 'webSocketDebuggerUrl');
  return { exchange, works: typeof address === 'string' ? await works(drive, address) : undefined };
}

// What has been stopped may take a moment to end.
async function discoverDead(drive: Drive, cdpUrl: string): Promise<Discovery> {
  const deadline = drive.nowMs() + drive.target.polling.settleDeadlineMs;
  let look = await discover(drive, cdpUrl);
  while (look.works === true && drive.nowMs() < deadline) {
    await drive.pause(drive.target.polling.intervalMs);
    look = await discover(drive, cdpUrl);
  }
  return look;
}

async function sendLarge(
  drive: Drive,
  browser: LiveBrowser,
  { mark }: OpenedPage,
): Promise<{ length: number } | { fault: string }> {
  const expression = JSON.stringify('x'.repeat(largeText));
  const told = await attempt(() => useBrowser(drive, { browser, client }, (raw) => raw.evaluate(mark, expression)));
  return 'fault' in told ? told : { length: told.value?.length ?? 0 };
}

async function lookInNext(
  drive: Drive,
  { mark }: OpenedPage,
): Promise<{ kept: string | undefined } | { fault: string }> {
  const { browser } = await launch(drive, {});
  if (browser === undefined) return { fault: 'no other browser was created' };
  const deadlineMs = drive.target.polling.startDeadlineMs;
  const opened = await openPage(drive, browser, { client, deadlineMs, kept: 'other' });
  const look = await attempt(() => useBrowser(drive, { browser, client }, (raw) => raw.evaluate(mark, keptValue)));
  await end(drive, browser);
  if ('fault' in opened) return opened;
  return 'fault' in look ? look : { kept: look.value };
}

async function end(drive: Drive, { id }: LiveBrowser): Promise<void> {
  const entry = drive.ledger.find('browser', id);
  if (entry !== undefined) await drive.things.end(entry);
}
