import { browserStatus } from '#generated/states.ts';
import type { components } from '#generated/v4.ts';
import { bytesToMegabytes, microsToDecimal } from '#contract/money.ts';
import { getLimit } from '#contract/rule-book.ts';
import type { RequestContext } from '../common/request-context.ts';
import { recordingAddresses } from '../common/addresses.ts';
import type { BrowserRow } from '#store/queries/browsers.ts';
import type { RecordingRow } from '#store/queries/recordings.ts';
import type { SessionRow } from '#store/tables/sessions.ts';

/** Renders a standalone browser (contract section 2; companion 4.6 and 4.7). */
export function renderBrowser(browser: BrowserRow, context: RequestContext): components['schemas']['Browser'] {
  const isActive = browser.status === browserStatus.active;
  return {
    id: browser.id,
    status: browser.status,
    liveUrl: isActive ? context.addresses.live(browser) : null,
    cdpUrl: isActive ? context.addresses.cdp(browser) : null,
    startedAt: shownTime(browser.startedAt),
    finishedAt: browser.finishedAt === null ? null : shownTime(browser.finishedAt),
    agentSessionId: null,
    recordingUrl: null,
    metadata: JSON.parse(browser.metadata),
    ...consumed(browser, context),
  };
}

/** Returns whether an agent session has or had a browser. */
export function hasBrowser({ browserSince: since, browserMs: ranMs }: SessionRow): boolean {
  return since !== null || ranMs > 0;
}

/** Returns the status of the browser of an agent session. */
export function sessionBrowserStatus({ browserSince: since }: SessionRow): BrowserRow['status'] {
  return since === null ? browserStatus.stopped : browserStatus.active;
}

/**
 * Renders the browser of an agent session under the id of the session (companion 4.6). Only its live view is offered,
 * because the agent drives it.
 */
export function renderSessionBrowser(session: SessionRow, context: RequestContext): components['schemas']['Browser'] {
  const { addresses, engine, rules } = context;
  const { browserSince: since } = session;
  const costs = engine.costs(session);
  const startedAt = since ?? session.createdAt;
  return {
    id: session.id,
    status: sessionBrowserStatus(session),
    liveUrl: since === null ? null : addresses.live(session),
    cdpUrl: null,
    timeoutAt: shownTime(startedAt + getLimit(rules, 'browserTimeoutMax') * msPerMinute),
    startedAt: shownTime(startedAt),
    finishedAt: since === null ? shownTime(session.updatedAt) : null,
    agentSessionId: session.id,
    recordingUrl: null,
    metadata: {},
    proxyUsedMb: bytesToMegabytes(engine.meters(session).proxyBytes),
    proxyCost: microsToDecimal(costs.proxy),
    browserCost: microsToDecimal(costs.browser),
  };
}

const msPerMinute = 60_000;

/** A browser with its recordings. */
export interface BrowserWithRecordings {
  readonly browser: BrowserRow;
  readonly recordings: readonly RecordingRow[];
}

/** Reads the recordings of a browser. */
export async function withRecordings(
  browser: BrowserRow,
  { recordings }: RequestContext,
): Promise<BrowserWithRecordings> {
  return { browser, recordings: await recordings.of(browser.id) };
}

/** Renders the response to a stop: its recording is not ready yet (companion 4.7). */
export function renderBrowserDetail(
  { browser, recordings }: BrowserWithRecordings,
  context: RequestContext,
): components['schemas']['BrowserDetail'] {
  const isOver = browser.status === browserStatus.stopped && recordings.every(({ status }) => status === 'none');
  return { ...renderBrowser(browser, context), recordingAvailable: browser.enableRecording === 1 && !isOver };
}

/**
 * Renders the response to GET of a single browser: with its recording, once the browser has ended and the recording is
 * stored.
 */
export function renderBrowserWithRecording(
  found: BrowserWithRecordings,
  context: RequestContext,
): components['schemas']['BrowserDetail'] {
  // A part may be there before: a worker died with the Chromium that it shows.
  const hasEnded = found.browser.status === browserStatus.stopped;
  const recordingUrl = hasEnded ? (recordingAddresses(found.recordings, context.addresses).at(-1) ?? null) : null;
  return { ...renderBrowserDetail(found, context), recordingUrl };
}

type Consumed = 'timeoutAt' | 'proxyUsedMb' | 'proxyCost' | 'browserCost';

function consumed(browser: BrowserRow, { browsers }: RequestContext): Pick<components['schemas']['Browser'], Consumed> {
  const bill = browsers.bill(browser);
  return {
    timeoutAt: shownTime(bill.timeoutAtMs),
    proxyUsedMb: bytesToMegabytes(bill.proxyBytes),
    proxyCost: microsToDecimal(bill.proxyMicros),
    browserCost: microsToDecimal(bill.browserMicros),
  };
}

function shownTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
