import { noBrowsers } from '../harness/browser-api.ts';
import { type Exchange, describeAnswer, succeeded } from '../harness/exchange.ts';
import { type JsonObject, identifier, memberAt } from '../harness/json.ts';
import { notOffered } from '../harness/operations.ts';
import { NotTestable } from '../harness/outcome.ts';
import type { Drive, Scenario } from '../harness/scenario.ts';
import { followPages, itemsOf } from './followed-pages.ts';

/** Two V4 browsers as their records and lists show them. */
export interface ViewedBrowsers {
  /** One with labels and a time of its own. */
  labelled: ViewedBrowser;
  /** One whose request names nothing. */
  plain: ViewedBrowser;
  /** A page of one, and one far behind the last. */
  pages: { one: Exchange; far: Exchange };
  /** Lists of the browsers with both labels, and of those with a value that nobody has given. */
  byLabels: { both: Exchange; foreign: Exchange };
}

/** A browser before and after its stop. */
export interface ViewedBrowser {
  id: string;
  request: JsonObject;
  created: Exchange;
  active: Exchange;
  whileActive: BrowserLists;
  stopped: Exchange;
  /** The record after the stop. */
  after: Exchange;
  whileStopped: BrowserLists;
  /** A second stop and the record after it. */
  again: Exchange;
  later: Exchange;
}

/** Lists by status, page after page until one shows the browser or is the last. */
export interface BrowserLists {
  active: Exchange[];
  stopped: Exchange[];
}

const operations = ['v4.createBrowser', 'v4.getBrowser', 'v4.listBrowsers', 'v4.stopBrowser'] as const;

/** Two standalone browsers that are looked at, stopped and looked at again. */
export const viewedBrowsers: Scenario<ViewedBrowsers> = {
  name: 'viewed-browsers',
  creates: 'two V4 browsers, stopped at once',
  spend: 'browser',
  dispatches: 0,
  stateful: true,
  unavailable: (target) => noBrowsers(target) ?? notOffered(target, operations),
  drive: (drive) => drive.live(() => driveBoth(drive)),
};

async function driveBoth(drive: Drive): Promise<ViewedBrowsers> {
  const purpose = `view-${drive.seed}`;
  const labelled = await view(drive, { timeout: 7, metadata: { suite: 'svc', purpose } });
  const plain = await view(drive, {});
  const list = (query: Record<string, number | readonly string[]>): Promise<Exchange> =>
    drive.operations.call('v4.listBrowsers', { query });
  const pages = { one: await list({ pageSize: 1 }), far: await list({ pageSize: 1, pageNumber: 1_000_000 }) };
  const byLabels = {
    both: await list({ pageSize: 100, metadata: ['suite', `purpose=${purpose}`] }),
    foreign: await list({ pageSize: 100, metadata: ['suite', `purpose=${purpose}-of-nobody`] }),
  };
  return { labelled, plain, pages, byLabels };
}

async function view(drive: Drive, request: JsonObject): Promise<ViewedBrowser> {
  const created = await drive.operations.create('browser', 'v4.createBrowser', { body: request });
  const id = identifier(memberAt(created.json, 'id'));
  if (!succeeded(created) || id === undefined) throw new NotTestable(`browser creation ${describeAnswer(created)}`);
  const get = (): Promise<Exchange> => drive.operations.call('v4.getBrowser', { path: [id] });
  const stop = (): Promise<Exchange> =>
    drive.operations.call('v4.stopBrowser', { path: [id], body: { action: 'stop' } });
  const active = await get();
  const whileActive = await readLists(drive, id);
  const stopped = await stop();
  const after = await untilEnded(drive, id, get);
  const whileStopped = await readLists(drive, id);
  const again = await stop();
  return { id, request, created, active, whileActive, stopped, after, whileStopped, again, later: await get() };
}

async function untilEnded(drive: Drive, id: string, get: () => Promise<Exchange>): Promise<Exchange> {
  const deadline = performance.now() + drive.target.polling.settleDeadlineMs;
  for (;;) {
    // This look books the end in the ledger.
    const look = await drive.browsers.get(id);
    if (look === undefined || drive.browsers.hasEnded(look) !== false || performance.now() > deadline) return get();
    await drive.pause(drive.target.polling.intervalMs);
  }
}

async function readLists(drive: Drive, id: string): Promise<BrowserLists> {
  const read = (filterBy: string): Promise<Exchange[]> =>
    followPages(
      (page: number | undefined) =>
        drive.operations.call('v4.listBrowsers', { query: { filterBy, pageSize: 100, pageNumber: page ?? 1 } }),
      (page, pages) => {
        const items = itemsOf(page, 'items');
        const found = items.some((item) => memberAt(item, 'id') === id);
        return found || items.length < 100 ? undefined : pages.length + 1;
      },
    );
  return { active: await read('active'), stopped: await read('stopped') };
}
