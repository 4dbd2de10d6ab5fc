import { noBrowsers } from '../../ledger/browser-api.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { type JsonObject, memberAt } from '../../core/json.ts';
import { createRandom } from '../../core/random.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import {
  attempt,
  endBrowser,
  keptValue,
  launch,
  type LiveBrowser,
  type OpenedPage,
  openPage,
  useBrowser,
  isReached,
} from '../../common/observed-browser.ts';
import { withoutEnd } from '../../core/trim-end.ts';
import { listItems } from '../../common/followed-pages.ts';
import { readSettled } from '../../common/target-facts.ts';

/** The answer of CDP discovery, and whether a client could connect to the URL in it. */
export interface Discovery {
  exchange: Exchange;
  /** True if a client could connect to the URL in the answer; undefined if the answer names no URL. */
  works: boolean | undefined;
}

/**
 * A browser whose CDP URL is requested unmodified, modified, and after the stop, and observations of its page and of
 * the next browser.
 */
export interface GuardedBrowser {
  created: Exchange;
  /** Observations of the browser; undefined when no client could use it, which other checks judge. */
  seen:
    | {
        /**
         * True if a client could use a browser at a URL that the target never issued. Undefined if the URL has no token
         * to replace.
         */
        unknown: boolean | undefined;
        discovery: { live: Discovery; unknown: Discovery | undefined; stopped: Discovery };
        /**
         * Answers of `/json/list` below the CDP URL, while the browser is active and after its stop. The URL of the
         * open page ends in `mark`.
         */
        pages: { mark: string; live: Exchange; stopped: Exchange };
        /** Length of the text that was sent into the page and read back, or the fault that prevented it. */
        large: { length: number } | { fault: string };
        /** The download of a page, or the reason why it was not observed. */
        download: PageDownload | string;
        /**
         * `kept` is the value that the page of this browser has stored, if the next browser shows that page; otherwise
         * undefined. `fault` tells why the next browser could not be used.
         */
        next: { kept: string | undefined } | { fault: string };
      }
    | undefined;
}

/** Length of the text that must pass through CDP unchanged, in characters. */
export const largeText = 100_000;

const client = 'raw';

/**
 * Creates two browsers, one after the other. Records which requests to the CDP URL of the first browser succeed, before
 * and after its stop. Also records a download of its page, and whether the second browser shows that page.
 */
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
  const unknown = changed === undefined ? undefined : await isReached(context, changed);
  const live = await discover(context, browser.cdpUrl);
  const below = changed === undefined ? undefined : await discover(context, changed);
  const listed = await ask(context, browser.cdpUrl, 'list');
  const large = await sendLarge(context, browser, opened.value);
  const download = await downloadFromPage(context, browser, opened.value);
  await endBrowser(context, browser);
  const discovery = { live, unknown: below, stopped: await discoverDead(context, browser.cdpUrl) };
  const pages = { mark: opened.value.mark, live: listed, stopped: await ask(context, browser.cdpUrl, 'list') };
  return {
    created,
    seen: { unknown, discovery, pages, large, download, next: await lookInNext(context, opened.value) },
  };
}

function ask(context: ScenarioContext, cdpUrl: string, what: 'version' | 'list'): Promise<Exchange> {
  const url = new URL(cdpUrl.replace(/^ws/, 'http'));
  url.pathname = `${withoutEnd(url.pathname, /\//)}/json/${what}`;
  return context.send({ generation: 'other', operation: 'cdpDiscovery', method: 'GET', key: 'none', path: url.href });
}

async function discover(context: ScenarioContext, cdpUrl: string): Promise<Discovery> {
  const exchange = await ask(context, cdpUrl, 'version');
  const address = memberAt(exchange.json, 'webSocketDebuggerUrl');
  return { exchange, works: typeof address === 'string' ? await isReached(context, address) : undefined };
}

/**
 * Repeats discovery for a stopped browser until it shows no working browser or the settle deadline has passed. A
 * stopped browser may take some time to end.
 */
function discoverDead(context: ScenarioContext, cdpUrl: string): Promise<Discovery> {
  return readSettled(
    context,
    () => discover(context, cdpUrl),
    (look) => look.works !== true,
  );
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
  await endBrowser(context, browser);
  if ('fault' in opened) return opened;
  return 'fault' in look ? look : { kept: look.value };
}

/** A file that a page has downloaded, as the browser's list of downloads shows it. */
export interface PageDownload {
  /**
   * Item of the file in the list with URLs; undefined if the list was refused, or did not show the file before the
   * deadline.
   */
  row: JsonObject | undefined;
  /** The list with URLs and the list without them. */
  lists: { withUrls: Exchange; plain: Exchange };
  /** Answer to a request for the file's URL; undefined if the list shows no URL for the file. */
  bytes: Exchange | undefined;
}

/** Name and content of the file that the page downloads. */
export const downloadedFile = { name: 'svc-check-download.txt', text: 'downloaded by a page of the suite' };

/** Script that clicks a link with a `data:` URL of the file, so that the download needs no website. */
const clickLink = `(() => {
  const link = document.createElement('a');
  link.href = ${JSON.stringify(`data:text/plain,${encodeURIComponent(downloadedFile.text)}`)};
  link.download = ${JSON.stringify(downloadedFile.name)};
  document.body.append(link);
  link.click();
  return 'clicked';
})()`;

/**
 * Downloads a file in a page, and waits until the list shows the file or is refused, or `settleDeadlineMs` has passed.
 * Returns the reason as a text if the target offers no list or the page cannot be made to download.
 */
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
  const withUrls = await readSettled(
    context,
    () => list(true),
    (shown) => findDownload(shown) !== undefined || !succeeded(shown),
  );
  const row = findDownload(withUrls);
  const path = row?.['url'];
  const what = { generation: 'other', operation: 'downloadFile', method: 'GET', key: 'none' } as const;
  const bytes = typeof path === 'string' ? await context.send({ ...what, path }) : undefined;
  return { row, lists: { withUrls, plain: await list(false) }, bytes };
}

/** Returns the item of `downloadedFile` in a list of downloads; undefined if the list does not contain the file. */
export function findDownload(list: Exchange): JsonObject | undefined {
  return listItems(list, 'files').find((row) => memberAt(row, 'path') === downloadedFile.name);
}

/** Parts of a URL that are long enough to be a token. */
const longWord = /[\w-]{16,}/g;
const kinds = ['0123456789', 'abcdef', 'ghijklmnopqrstuvwxyz', 'ABCDEF', 'GHIJKLMNOPQRSTUVWXYZ'];

/**
 * Returns an unissued URL of the same form: in each part of the path and the query that is long enough to be a token,
 * every letter and digit is replaced with another one of its kind. Returns undefined for an invalid URL, and if no part
 * is long enough.
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
