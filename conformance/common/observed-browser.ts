import { CdpFault, isLasting } from '../transport/cdp/index.ts';
import type { CdpClient, ClientKind } from '../core/cdp.ts';
import { type Exchange, succeeded } from '../core/exchange.ts';
import { type JsonObject, identifier, memberAt } from '../core/json.ts';
import type { ScenarioContext } from '../core/scenario.ts';

/** A browser that the suite has created. Of its record, the contract defines only `id` and `cdpUrl`. */
export interface LiveBrowser {
  created: Exchange;
  id: string;
  /**
   * The CDP URL that the creation returned. If a connection fails to a browser that a client has used before, the URL
   * of the newest record replaces it, if this record shows a URL.
   */
  cdpUrl: string;
  /** True after a client was attached. */
  reached: boolean;
}

/** A page that a client opened. The marker in its URL is unique in the browser. */
export interface OpenedPage {
  mark: string;
  /** Value that the suite has stored in the page. */
  kept: string;
}

/** Result of one search for a page. */
export interface PageLook {
  /** Value that was read from the page; absent when the page was not found. */
  value?: string;
  /** Reason why the page was not found. */
  fault?: string;
}

/** The value of a CDP call, or the text of its fault. */
export type Attempt<T> = { value: T } | { fault: string };

/** JavaScript expression that reads the value stored in a page. */
export const keptValue = 'String(globalThis.svcValue)';

/** Returns a JavaScript expression that stores a value in a page. */
export function keepValue(value: string): string {
  return `globalThis.svcValue = ${JSON.stringify(value)}`;
}

/** Returns the value of a CDP call, or the text of its CdpFault. Rethrows every other error. */
export async function attempt<T>(call: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { value: await call() };
  } catch (error) {
    if (error instanceof CdpFault) return { fault: error.message };
    throw error;
  }
}

/** Connects a client to a CDP URL; returns true if a browser answers. */
export async function isReached({ cdp }: ScenarioContext, cdpUrl: string): Promise<boolean> {
  return !('fault' in (await attempt(() => cdp.use('raw', cdpUrl, (client) => client.ping()))));
}

/**
 * Repeats a call until it succeeds, fails permanently, or the timeout in milliseconds has passed. Calls at least once.
 */
export async function persist<T>(
  context: ScenarioContext,
  deadlineMs: number,
  call: () => Promise<T>,
): Promise<Attempt<T>> {
  const deadline = context.nowMs() + deadlineMs;
  let outcome = await attempt(call);
  while ('fault' in outcome && !isLasting(outcome.fault) && context.nowMs() < deadline) {
    await context.pause(context.target.polling.intervalMs);
    outcome = await attempt(call);
  }
  return outcome;
}

/** Creates a browser. `browser` is undefined when the creation was refused or its answer lacks `id` or `cdpUrl`. */
export async function launch(
  context: ScenarioContext,
  body: JsonObject,
): Promise<{ created: Exchange; browser: LiveBrowser | undefined }> {
  const created = await context.browsers.create(body);
  const [id, cdpUrl] = [identifier(memberAt(created.json, 'id')), memberAt(created.json, 'cdpUrl')];
  const complete = succeeded(created) && id !== undefined && typeof cdpUrl === 'string';
  return { created, browser: complete ? { created, id, cdpUrl, reached: false } : undefined };
}

/**
 * Connects a client to a browser, passes it to a callback and disconnects. Throws CdpFault on failure. If a client has
 * ever been attached to the browser, a failure also fetches the browser's record: the next attempt then uses the CDP
 * URL of this record, if it shows one.
 */
export async function useBrowser<K extends ClientKind, T>(
  context: ScenarioContext,
  { browser, client }: { browser: LiveBrowser; client: K },
  use: Parameters<typeof context.cdp.use<K, T>>[2],
): Promise<T> {
  try {
    return await context.cdp.use(client, browser.cdpUrl, (attached) => {
      browser.reached = true;
      return use(attached);
    });
  } catch (error) {
    // Keeps a URL that never worked, because the checks must judge it.
    if (error instanceof CdpFault && browser.reached) await refreshAddress(context, browser);
    throw error;
  }
}

async function refreshAddress(context: ScenarioContext, browser: LiveBrowser): Promise<void> {
  const fetched = await context.browsers.get(browser.id);
  const cdpUrl = fetched === undefined ? undefined : context.browsers.readRecord(fetched)['cdpUrl'];
  if (typeof cdpUrl === 'string') browser.cdpUrl = cdpUrl;
}

/** Options for opening a page. */
export interface OpenOptions {
  client: ClientKind;
  /** Maximum time for all attempts, in milliseconds. */
  deadlineMs: number;
  /** Value to store in the page. */
  kept: string;
  /** Called with the page before the client is released. */
  meanwhile?: (page: OpenedPage, client: CdpClient) => Promise<void>;
}

/**
 * Connects a client, opens a page, stores a value in it, and reads the value back. Repeats a failed attempt with
 * another page until the deadline.
 */
export async function openPage(
  context: ScenarioContext,
  browser: LiveBrowser,
  options: OpenOptions,
): Promise<Attempt<OpenedPage>> {
  const { client, deadlineMs, kept, meanwhile } = options;
  return persist(context, deadlineMs, () =>
    useBrowser(context, { browser, client }, async (attached: CdpClient) => {
      // A failed attempt may have left a page open, so each attempt has its own mark.
      const page = { mark: context.mark(), kept };
      await attached.open(page.mark);
      await attached.evaluate(page.mark, keepValue(kept));
      const found = await attached.evaluate(page.mark, keptValue);
      if (found !== kept) throw new CdpFault(`its page kept ${found ?? 'nothing'} instead of ${kept}`);
      await meanwhile?.(page, attached);
      return page;
    }),
  );
}

/** Searches for a page with new connections, until it is found or the settle deadline of the target has passed. */
export async function lookForPage(
  context: ScenarioContext,
  browser: LiveBrowser,
  { mark }: OpenedPage,
): Promise<PageLook> {
  return persist(context, context.target.polling.settleDeadlineMs, () =>
    useBrowser(context, { browser, client: 'raw' }, async (client) => {
      const value = await client.evaluate(mark, keptValue);
      if (value === undefined) throw new CdpFault('the browser that answers does not have the page');
      return value;
    }),
  );
}

/** A standalone browser that was active while a task, run or session worked. */
export interface Bystander {
  created: Exchange;
  /** Record of the browser after the work; undefined if the target offers no fetch. */
  after: Exchange | undefined;
}

/**
 * Performs work while a standalone browser is active. Also returns the browser, unless the target has no browsers or
 * refused to create one.
 */
export async function besideBrowser<T>(
  context: ScenarioContext,
  work: () => Promise<T>,
): Promise<{ done: T; bystander: Bystander | undefined }> {
  const launched = context.target.v4?.browsers ? await launch(context, {}) : undefined;
  const browser = launched?.browser;
  if (browser === undefined) return { done: await work(), bystander: undefined };
  try {
    const done = await work();
    return { done, bystander: { created: browser.created, after: await context.browsers.get(browser.id) } };
  } finally {
    await endBrowser(context, browser);
  }
}

/** Ends a browser that the suite has created. Does nothing if the ledger does not contain the browser. */
export async function endBrowser({ ledger, resources }: ScenarioContext, { id }: { id: string }): Promise<void> {
  const entry = ledger.find('browser', id);
  if (entry !== undefined) await resources.end(entry);
}
