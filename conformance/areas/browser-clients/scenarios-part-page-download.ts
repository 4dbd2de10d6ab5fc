import { type Exchange, succeeded } from '../../core/exchange.ts';
import { type JsonObject, memberAt } from '../../core/json.ts';
import type { Drive } from '../../core/scenario.ts';
import { itemsOf } from '../common/followed-pages.ts';
import { type LiveBrowser, type OpenedPage, attempt, useBrowser } from '../common/observed-browser.ts';

/** A file that a page has downloaded, as the browser's list shows it. */
export interface PageDownload {
  /** Its row in the list with addresses; undefined when it did not come in time. */
  row: JsonObject | undefined;
  /** The list with addresses, and the one without. */
  lists: { withUrls: Exchange; plain: Exchange };
  /** What its address answered; undefined where there is none. */
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
export async function downloadFromPage(
  drive: Drive,
  browser: LiveBrowser,
  { mark }: OpenedPage,
): Promise<PageDownload | string> {
  if (!drive.operations.offers('v4.listBrowserDownloads')) return 'this target offers no list of downloads';
  const clicked = await attempt(() =>
    useBrowser(drive, { browser, client: 'raw' }, (raw) => raw.evaluate(mark, clickLink)),
  );
  if ('fault' in clicked) return `the page could not be made to download: ${clicked.fault}`;
  const list = (includeUrls: boolean): Promise<Exchange> =>
    drive.operations.call('v4.listBrowserDownloads', { path: [browser.id], query: { includeUrls } });
  const deadline = drive.nowMs() + drive.target.polling.settleDeadlineMs;
  let withUrls = await list(true);
  while (rowOf(withUrls) === undefined && succeeded(withUrls) && drive.nowMs() < deadline) {
    await drive.pause(drive.target.polling.intervalMs);
    withUrls = await list(true);
  }
  const row = rowOf(withUrls);
  const path = row?.['url'];
  const what = { generation: 'other', operation: 'downloadFile', method: 'GET', key: 'none' } as const;
  const bytes = typeof path === 'string' ? await drive.send({ ...what, path }) : undefined;
  return { row, lists: { withUrls, plain: await list(false) }, bytes };
}

/** The row of the file in a list of downloads. */
export function rowOf(list: Exchange): JsonObject | undefined {
  return itemsOf(list, 'files').find((row) => memberAt(row, 'path') === downloadedFile.name);
}
