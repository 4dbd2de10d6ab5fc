import { noBrowsers } from '../../ledger/browser-api.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { type JsonObject, memberAt } from '../../core/json.ts';
import { createRandom } from '../../core/random.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import {
  attempt,
  keptValue,
  launch,
  type LiveBrowser,
  type OpenedPage,
  openPage,
  useBrowser,
} from '../../common/observed-browser.ts';
import { withoutEnd } from '../../core/trim-end.ts';
import { itemsOf } from '../../common/followed-pages.ts';

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
        /** Whether a client could work behind an address that nobody has handed out; undefined without an address of this form. */
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
  run: (context) => context.live(() => driveGuarded(context)),
};

async function driveGuarded(context: ScenarioContext): Promise<GuardedBrowser> {
  const { created, browser } = await launch(context, {});
  const deadlineMs = context.target.polling.startDeadlineMs;
  const opened =
    browser === undefined ? undefined : await openPage(context, browser, { client, deadlineMs, kept: 'mine' });
  if (browser === undefined || opened === undefined || 'fault' in opened) return { created, seen: undefined };
  const changed = unknownAddress(browser.cdpUrl, createRandom(context.seed));
  const unknown = changed === undefined ? undefined : await works(context, changed);
  const live = await discover(context, browser.cdpUrl);
  const below = changed === undefined ? undefined : await discover(context, changed);
  const listed = await ask(context, browser.cdpUrl, 'list');
  const large = await sendLarge(context, browser, opened.value);
  const download = await downloadFromPage(context, browser, opened.value);
  await end(context, browser);
  const discovery = { live, unknown: below, stopped: await discoverDead(context, browser.cdpUrl) };
  const pages = { mark: opened.value.mark, live: listed, stopped: await ask(context, browser.cdpUrl, 'list') };
  return {
    created,
    seen: { unknown, discovery, pages, large, download, next: await lookInNext(context, opened.value) },
  };
}

async function works(context: ScenarioContext, address: string): Promise<boolean> {
  return !('fault' in (await attempt(() => context.cdp.use(client, address, (raw) => raw.ping()))));
}

function ask(context: ScenarioContext, cdpUrl: string, what: 'version' | 'list'): Promise<Exchange> {
  const url = new URL(cdpUrl.replace(/^ws/, 'http'));
  url.pathname = `${withoutEnd(url.pathname, /\//)}/json/${what}`;
  return context.send({ generation: 'other', operation: 'cdpDiscovery', method: 'GET', key: 'none', path: url.href });
}

async function discover(context: ScenarioContext, cdpUrl: string): Promise<Discovery> {
  const exchange = await ask(context, cdpUrl, 'version');
  const address = memberAt(exchange.json, 'webSocketDebuggerUrl');
  return { exchange, works: typeof address === 'string' ? await works(context, address) : undefined };
}

// What has been stopped may take a moment to end.
async function discoverDead(context: ScenarioContext, cdpUrl: string): Promise<Discovery> {
  const deadline = context.nowMs() + context.target.polling.settleDeadlineMs;
  let look = await discover(context, cdpUrl);
  while (look.works === true && context.nowMs() < deadline) {
    await context.pause(context.target.polling.intervalMs);
    look = await discover(context, cdpUrl);
  }
  return look;
}

async function sendLarge(
  context: ScenarioContext,
  browser: LiveBrowser,
  { mark }: OpenedPage,
): Promise<{ length: number } | { fault: string }> {
  const expression = JSON.stringify('x'.repeat(largeText));
  const told = await attempt(() => useBrowser(context, { browser, client }, (raw) => raw.evaluate(mark, expression)));
  return 'fault' in told ? told : { length: told.value?.length ?? 0 };
}

async function lookInNext(
  context: ScenarioContext,
  { mark }: OpenedPage,
): Promise<{ kept: string | undefined } | { fault: string }> {
  const { browser } = await launch(context, {});
  if (browser === undefined) return { fault: 'no other browser was created' };
  const deadlineMs = context.target.polling.startDeadlineMs;
  const opened = await openPage(context, browser, { client, deadlineMs, kept: 'other' });
  const look = await attempt(() => useBrowser(context, { browser, client }, (raw) => raw.evaluate(mark, keptValue)));
  await end(context, browser);
  if ('fault' in opened) return opened;
  return 'fault' in look ? look : { kept: look.value };
}

async function end(context: ScenarioContext, { id }: LiveBrowser): Promise<void> {
  const entry = context.ledger.find('browser', id);
  if (entry !== undefined) await context.resources.end(entry);
}

/** A file that a page has downloaded, as the browser's list shows it. */
export interface PageDownload {
  /** Its row in the list with addresses; undefined when it did not come in time. */
  row: JsonObject | undefined;
  /** The list with addresses, and the one without. */
  lists: { withUrls: Exchange; plain: Exchange };
  /** What its address answered; undefined without an address. */
  bytes: Exchange | undefined;
}

/** Name and text of the file that the page downloads. */
export const downloadedFile = { name: 'svc-check-download.txt', text: 'downloaded by a page of the suite' };

/** Needs no site of ours: the file stands in the link itself. */
const clickLink = `(() => {
  const link = document.createElement('a');
  link.href = ${JSON.stringify(`data:text/plain,${encodeURIComponent(downloadedFile.text)}`)};
  link.download = ${JSON.stringify(downloadedFile.name)};
  document.body.append(link);
  link.click();
  return 'clicked';
})()`;

/** Lets a page download a file and looks for it. A text says why nobody can tell. */
async function downloadFromPage(
  context: ScenarioContext,
  browser: LiveBrowser,
  { mark }: OpenedPage,
): Promise<PageDownload | string> {
  if (!context.operations.offers('v4.listBrowserDownloads')) return 'this target offers no list of downloads';
  const clicked = await attempt(() =>
    useBrowser(context, { browser, client: 'raw' }, (raw) => raw.evaluate(mark, clickLink)),
  );
  if ('fault' in clicked) return `the page could not be made to download: ${clicked.fault}`;
  const list = (includeUrls: boolean): Promise<Exchange> =>
    context.operations.call('v4.listBrowserDownloads', { path: [browser.id], query: { includeUrls } });
  const deadline = context.nowMs() + context.target.polling.settleDeadlineMs;
  let withUrls = await list(true);
  while (rowOf(withUrls) === undefined && succeeded(withUrls) && context.nowMs() < deadline) {
    await context.pause(context.target.polling.intervalMs);
    withUrls = await list(true);
  }
  const row = rowOf(withUrls);
  const path = row?.['url'];
  const what = { generation: 'other', operation: 'downloadFile', method: 'GET', key: 'none' } as const;
  const bytes = typeof path === 'string' ? await context.send({ ...what, path }) : undefined;
  return { row, lists: { withUrls, plain: await list(false) }, bytes };
}

/** The row of the file in a list of downloads. */
export function rowOf(list: Exchange): JsonObject | undefined {
  return itemsOf(list, 'files').find((row) => memberAt(row, 'path') === downloadedFile.name);
}

/** Words of an address that are long enough to be a right to something. */
const longWord = /[\w-]{16,}/g;
const kinds = ['0123456789', 'abcdef', 'ghijklmnopqrstuvwxyz', 'ABCDEF', 'GHIJKLMNOPQRSTUVWXYZ'];

/**
 * An address of the same form that nobody has handed out: each long word of the path and the query has other characters of
 * the same kinds. Undefined when the address has no such word.
 */
export function unknownAddress(address: string, random: () => number): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { origin, pathname, search } = new URL(address);
  const other = (text: string): string =>
    text.replaceAll(longWord, (word) => Array.from(word, (one) => otherThan(one, random)).join(''));
  const rest = `${pathname}${search}`;
  const changed = other(rest);
  return changed === rest ? undefined : `${origin}${changed}`;
}

function otherThan(one: string, random: () => number): string {
  const kind = kinds.find((characters) => characters.includes(one));
  if (kind === undefined) return one;
  const others = Array.from(kind).filter((other) => other !== one);
  return others[Math.floor(random() * others.length)] ?? one;
}
