import { noBrowsers } from '../../ledger/browser-api.ts';
import { describeAnswer, type Exchange, succeeded } from '../../core/exchange.ts';
import { identifier, type JsonObject, type JsonValue, memberAt } from '../../core/json.ts';
import { notOffered } from '../../core/operations.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { createRandom, randomUuid } from '../../core/random.ts';
import { uniqueText } from '../../core/text.ts';
import { askForm, sendForm, type UploadForm } from '../../common/upload-forms.ts';
import { openAddress } from '../../common/session-share.ts';
import { followPages, listItems } from '../../common/followed-pages.ts';
import type { StatusLists } from '../../common/judgement.ts';
import { readSettled } from '../../common/target-facts.ts';
import { alterations } from '../../common/signed-urls.ts';

/** Two V4 browsers, with their records and lists. */
export interface ViewedBrowsers {
  /** A browser with the maximum number of labels (`metadata`) and a timeout of 7 minutes. */
  labelled: ViewedBrowser;
  /** A browser that was created with an empty body. */
  plain: ViewedBrowser;
  /** The first page of the list of browsers, with one item, and a page far after the last one. */
  pages: { one: Exchange; far: Exchange };
  /**
   * The list of stopped browsers filtered by two labels of `labelled`, and the list filtered by a label value that no
   * browser has.
   */
  byLabels: { both: Exchange; foreign: Exchange };
  /** The list of browsers, filtered by an agent session that does not exist, while `labelled` is active. */
  ofSession: Exchange;
  /** A file that was sent to `labelled`; undefined if the target offers no upload forms for browsers. */
  upload: BrowserUpload | undefined;
  /** Responses to requests for the list of downloads with invalid limits. */
  wrongLimits: Exchange[];
}

/** The upload form of a file for a browser. */
export interface BrowserUpload {
  form: UploadForm;
  stored: Exchange;
  /** Response to the request for an upload form of a browser that does not exist. */
  unknown: Exchange;
}

/** A browser before and after its stop. */
export interface ViewedBrowser {
  id: string;
  request: JsonObject;
  created: Exchange;
  active: Exchange;
  whileActive: StatusLists;
  /** The record of the browser after its stop. */
  after: Exchange;
  whileStopped: StatusLists;
  /** The lists of the browser's downloads before and after the stop. */
  downloads: { active: Exchange; stopped: Exchange };
  /** The live URL of the browser, also requested after the stop; undefined if the record shows no live URL. */
  live: (LiveLook & { stopped: Exchange }) | undefined;
  /** The answer to a second stop; `later` is the record after the second stop. */
  again: Exchange;
  later: Exchange;
}

const operations = [
  'v4.createBrowser',
  'v4.getBrowser',
  'v4.listBrowsers',
  'v4.stopBrowser',
  'v4.listBrowserDownloads',
] as const;

/**
 * Creates two standalone browsers and stops them. Reads the record, lists, downloads and live view of each browser
 * before and after its stop.
 */
export const viewedBrowsers: Scenario<ViewedBrowsers> = {
  name: 'viewed-browsers',
  creates: 'two V4 browsers, stopped at once',
  spend: 'browser',
  browsers: () => 2,
  dispatches: 0,
  stateful: true,
  unavailable: (target) => noBrowsers(target) ?? notOffered(target, operations),
  run: (context) => context.live(() => driveBoth(context)),
};

async function driveBoth(context: ScenarioContext): Promise<ViewedBrowsers> {
  const purpose = uniqueText(context, 'view');
  // With `suite` and `purpose`, the browser has the maximum number of labels.
  const rest = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`label${index}`, `svc ${index}`]));
  let beside: Pick<ViewedBrowsers, 'ofSession' | 'upload'> | undefined;
  const labelled = await view(context, { timeout: 7, metadata: { suite: 'svc', purpose, ...rest } }, async (id) => {
    const query = { pageSize: 100, agentSessionId: randomUuid(createRandom(context.seed)) };
    const ofSession = await context.operations.call('v4.listBrowsers', { query });
    beside = { ofSession, upload: await upload(context, id) };
  });
  const plain = await view(context, {});
  const list = (query: Record<string, number | string | readonly string[]>): Promise<Exchange> =>
    context.operations.call('v4.listBrowsers', { query });
  const pages = { one: await list({ pageSize: 1 }), far: await list({ pageSize: 1, pageNumber: 1_000_000 }) };
  const byLabels = {
    both: await list({ pageSize: 100, filterBy: 'stopped', metadata: ['suite', `purpose=${purpose}`] }),
    foreign: await list({ pageSize: 100, metadata: ['suite', `purpose=${purpose}-of-nobody`] }),
  };
  if (beside === undefined) throw new NotTestable('nothing was read beside a browser');
  const wrongLimits = [await listDownloads(context, plain.id, 0), await listDownloads(context, plain.id, 101)];
  return { labelled, plain, pages, byLabels, ...beside, wrongLimits };
}

async function upload(context: ScenarioContext, id: string): Promise<BrowserUpload | undefined> {
  const key = 'v2.createBrowserUpload';
  if (!context.operations.offers(key)) return undefined;
  const file = { fileName: 'svc-check.txt', contentType: 'text/plain', text: 'a small file' };
  const form = await askForm(context, [key, id], file);
  const unknown = await askForm(context, [key, randomUuid(createRandom(context.seed))], file);
  return { form, stored: await sendForm(context, form, file), unknown: unknown.asked };
}

function listDownloads({ operations: api }: ScenarioContext, id: string, limit?: number): Promise<Exchange> {
  const query = limit === undefined ? {} : { limit };
  return api.call('v4.listBrowserDownloads', { path: [id], query, invalid: limit !== undefined });
}

async function view(
  context: ScenarioContext,
  request: JsonObject,
  beside: (id: string) => Promise<void> = () => Promise.resolve(),
): Promise<ViewedBrowser> {
  const created = await context.operations.create('browser', 'v4.createBrowser', { body: request });
  const id = identifier(memberAt(created.json, 'id'));
  if (!succeeded(created) || id === undefined) throw new NotTestable(`browser creation ${describeAnswer(created)}`);
  const get = (): Promise<Exchange> => context.operations.call('v4.getBrowser', { path: [id] });
  const stop = (): Promise<Exchange> =>
    context.operations.call('v4.stopBrowser', { path: [id], body: { action: 'stop' } });
  const active = await get();
  const whileActive = await readLists(context, id);
  await beside(id);
  const look = await lookLive(context, memberAt(active.json, 'liveUrl'));
  const downloads = { active: await listDownloads(context, id) };
  await stop();
  const after = await untilEnded(context, id, get);
  const whileStopped = await readLists(context, id);
  const again = await stop();
  const later = await get();
  return {
    id,
    request,
    created,
    active,
    whileActive,
    after,
    whileStopped,
    downloads: { ...downloads, stopped: await listDownloads(context, id) },
    live: look === undefined ? undefined : { ...look, stopped: await openAddress(context, look.address) },
    again,
    later,
  };
}

async function untilEnded(context: ScenarioContext, id: string, get: () => Promise<Exchange>): Promise<Exchange> {
  await readSettled(
    context,
    // This fetch also records the end of the browser in the ledger.
    () => context.browsers.get(id),
    (look) => look === undefined || context.browsers.hasEnded(look) !== false,
  );
  return get();
}

async function readLists(context: ScenarioContext, id: string): Promise<StatusLists> {
  const read = (filterBy: string): Promise<Exchange[]> =>
    followPages(
      (page: number | undefined) =>
        context.operations.call('v4.listBrowsers', { query: { filterBy, pageSize: 100, pageNumber: page ?? 1 } }),
      (page, pages) => {
        const items = listItems(page, 'items');
        const found = items.some((item) => memberAt(item, 'id') === id);
        return found || items.length < 100 ? undefined : pages.length + 1;
      },
    );
  return { active: await read('active'), stopped: await read('stopped') };
}

/** The live URL of an active browser, and the response to a request of this URL without a key. */
export interface LiveLook {
  address: string;
  opened: Exchange;
  /** Response of the live URL with one character of its path changed; undefined if its path contains no token. */
  altered: Exchange | undefined;
}

/**
 * Requests, without a key, the live URL of a record and an altered form of it. Returns undefined if the record shows no
 * valid URL.
 */
async function lookLive(context: ScenarioContext, address: JsonValue | undefined): Promise<LiveLook | undefined> {
  if (typeof address !== 'string' || !URL.canParse(address)) return undefined;
  const opened = await openAddress(context, address);
  const other = alterations(address).find(({ part, address: changed }) => part === 'path' && hasToken(changed));
  return { address, opened, altered: other === undefined ? undefined : await openAddress(context, other.address) };
}

/** Returns true if the last part of the path is long enough to be a token. A shorter part is a page name. */
function hasToken(address: string): boolean {
  return (new URL(address).pathname.split('/').at(-1) ?? '').length >= 16;
}
