import { CdpFault, isLasting } from '../transport/cdp/index.ts';
import type { CdpClient, ClientKind } from '../core/cdp.ts';
import { type Exchange, succeeded } from '../core/exchange.ts';
import { type JsonObject, identifier, memberAt } from '../core/json.ts';
import type { ScenarioContext } from '../core/scenario.ts';

/** A browser that was created, with the two members that the contract shows. */
export interface LiveBrowser {
  created: Exchange;
  id: string;
  /** The address that creation has handed out; once it has worked, the newest one, which a record may show afresh. */
  cdpUrl: string;
  /** True once a client was attached. */
  reached: boolean;
}

/** A page that a client has opened: no other page of the browser has its mark in the address. */
export interface OpenedPage {
  mark: string;
  /** What the page keeps. */
  kept: string;
}

/** One look for a page. */
export interface PageLook {
  /** What the page keeps; absent when it was not found. */
  value?: string;
  /** Why it was not found. */
  fault?: string;
}

/** The value of a CDP call, or the text of its fault. */
export type Attempt<T> = { value: T } | { fault: string };

/** What a page keeps, as an expression. */
export const keptValue = 'String(globalThis.svcValue)';

/** An expression that makes a page keep a value. */
export function keepValue(value: string): string {
  return `globalThis.svcValue = ${JSON.stringify(value)}`;
}

/** The outcome of a CDP call that may fail. Rethrows everything but CdpFault. */
export async function attempt<T>(call: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { value: await call() };
  } catch (error) {
    if (error instanceof CdpFault) return { fault: error.message };
    throw error;
  }
}

/** Tries at least once and until it works, cannot work or the time in ms has passed. */
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

/** Creates a browser; `browser` is undefined when that was refused or the answer lacks id or cdpUrl. */
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
 * Attaches a client to a browser, lends it and releases it. Throws CdpFault when that fails; the browser then has the address
 * of its newest record, where the target shows one, for the next try.
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
    // An address that never worked is for the checks to judge, so that no other one may take its place.
    if (error instanceof CdpFault && browser.reached) await refreshAddress(context, browser);
    throw error;
  }
}

async function refreshAddress(context: ScenarioContext, browser: LiveBrowser): Promise<void> {
  const fetched = await context.browsers.get(browser.id);
  const cdpUrl = fetched === undefined ? undefined : context.browsers.recordOf(fetched)['cdpUrl'];
  if (typeof cdpUrl === 'string') browser.cdpUrl = cdpUrl;
}

/** How a page is opened. */
export interface OpenOptions {
  client: ClientKind;
  /** Longest time to try, in ms. */
  deadlineMs: number;
  /** What the page keeps. */
  kept: string;
  /** What the client does with the page before it is released. */
  meanwhile?: (page: OpenedPage, client: CdpClient) => Promise<void>;
}

/** Attaches a client, opens a page that keeps a value, and reads it back. */
export async function openPage(
  context: ScenarioContext,
  browser: LiveBrowser,
  options: OpenOptions,
): Promise<Attempt<OpenedPage>> {
  const { client, deadlineMs, kept, meanwhile } = options;
  return persist(context, deadlineMs, () =>
    useBrowser(context, { browser, client }, async (attached: CdpClient) => {
      // A try that failed half-way may have left a page, so each has a mark of its own.
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

/** Looks for a page with a new connection, until the settle deadline of the target. */
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
