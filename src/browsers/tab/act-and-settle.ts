import type { BrowserContext, CDPSession, Frame, Locator, Page } from 'playwright-core';
import type { DownloadWatch } from '../downloads/watch-downloads.ts';
import { within } from '../within.ts';
import type { StepEnds } from './page-steps.ts';

/**
 * Performs an action that may navigate, such as a click, and waits for its effect: the new document, or the new tab.
 * Playwright waits for neither, so the next step would still see the old page. Later navigations by a timer are not
 * awaited, nor is a new tab after `refused` has resolved, because it may have been closed. A new tab is awaited for at
 * most 5 s.
 */
export async function actAndSettle(page: Page, ends: StepEnds, act: () => Promise<void>): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const navigation = await watchNavigation(page, session, ends.signal);
  try {
    ends.signal.throwIfAborted();
    await act();
    if (!page.isClosed() && (await navigation.wasRequested())) await navigation.arrived;
  } finally {
    navigation.stop();
    // The session of a page that closed itself has ended.
    if (!page.isClosed()) await session.detach();
  }
  ends.signal.throwIfAborted();
  await popupsArrived(page, ends);
}

interface Navigation {
  /** Waits until the page has handled its queued tasks, then returns whether the page requested a navigation. */
  wasRequested(): Promise<boolean>;
  /**
   * Resolves when the new document has arrived, when no document will come (a download), when the page closes, or when
   * the step is cancelled.
   */
  readonly arrived: Promise<void>;
  stop(): void;
}

async function watchNavigation(page: Page, session: CDPSession, signal: AbortSignal): Promise<Navigation> {
  await session.send('Page.enable', undefined, { signal });
  const { frameTree } = await session.send('Page.getFrameTree', undefined, { signal });
  const { promise: arrived, resolve } = Promise.withResolvers<void>();
  let requested = false;
  session.on('Page.frameRequestedNavigation', ({ frameId, disposition }) => {
    if (frameId === frameTree.frame.id && disposition === 'currentTab') requested = true;
  });
  session.on('Page.frameStoppedLoading', ({ frameId }) => {
    if (frameId === frameTree.frame.id && requested) resolve();
  });
  const onNavigated = (frame: Frame): void => {
    if (frame === page.mainFrame()) resolve();
  };
  const onOver = (): void => resolve();
  page.on('framenavigated', onNavigated).on('close', onOver);
  signal.addEventListener('abort', onOver, { once: true });
  return {
    arrived,
    async wasRequested() {
      const stayed = await workedOff(session, signal);
      return requested || !stayed;
    },
    stop() {
      page.off('framenavigated', onNavigated).off('close', onOver);
      signal.removeEventListener('abort', onOver);
    },
  };
}

/**
 * Waits until the page runs a new task of its queue, because a form is submitted in a task after the key press. The
 * event of a navigation request arrives before this reply on the same channel. Resolves to false when the page
 * navigated or closed before it could reply.
 */
async function workedOff(session: CDPSession, signal: AbortSignal): Promise<boolean> {
  const turn = { expression: 'new Promise((done) => setTimeout(done))', awaitPromise: true };
  try {
    await session.send('Runtime.evaluate', turn, { signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error && /navigated|context|closed|collected/i.test(error.message)) return false;
    throw error;
  }
}

/** Timeout for a new tab. Playwright announces a popup only after the first response of its server. */
const ARRIVAL_TIMEOUT_MS = 5_000;

/**
 * Waits until Playwright knows every tab of the page's context. The browser creates a popup during a click, but
 * Playwright announces it later, so the next step would still use the old page. Stops waiting when `refused` resolves:
 * a popup whose page is forbidden never arrives. Also stops waiting when no tab arrives within 5 s; `followForeground`
 * brings a later popup to the front. Rejects after an abort.
 */
async function popupsArrived(page: Page, { refused, signal }: StepEnds): Promise<void> {
  // A click may close its own tab; then another tab is in front already.
  if (page.isClosed()) return;
  const context = page.context();
  const count = await countTabs(page, signal);
  const gaveUp = refused.then(() => false);
  while (context.pages().length < count) {
    const arrived = hasTabArrived(context, signal);
    if (!(await Promise.race([arrived, gaveUp]))) return;
  }
}

/** Waits for the next tab of a context. Resolves to false when no tab arrives within 5 s. */
async function hasTabArrived(context: BrowserContext, signal: AbortSignal): Promise<boolean> {
  try {
    await context.waitForEvent('page', { timeout: ARRIVAL_TIMEOUT_MS, signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error && error.name === 'TimeoutError') return false;
    throw error;
  }
}

async function countTabs(page: Page, signal: AbortSignal): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const { targetInfo } = await session.send('Target.getTargetInfo', undefined, { signal });
  const { targetInfos } = await session.send('Target.getTargets', undefined, { signal });
  await session.detach();
  const { browserContextId } = targetInfo;
  return targetInfos.filter((info) => info.type === 'page' && info.browserContextId === browserContextId).length;
}

/** Options of a click. */
interface ClickOptions {
  readonly timeout: number;
  readonly signal: AbortSignal;
  readonly clickCount?: 1 | 2;
}

/**
 * Clicks an element. A click that closes its own tab counts as successful, although Playwright reports a closed page.
 */
export async function clickOn(page: Page, element: Locator, options: ClickOptions): Promise<void> {
  try {
    await element.click(options);
  } catch (error) {
    // Playwright waits for the element before the click. If the page closed during this wait, the element was not
    // clicked; only the log shows the difference.
    const wasClicked = error instanceof Error && error.message.includes('performing click action');
    if (!(wasClicked && page.isClosed())) throw error;
  }
}

/** Timeout for the start of a download, in milliseconds. */
const DOWNLOAD_BEGINS_MS = 10_000;

/**
 * Starts a download by an action and waits until it begins; returns the file name given by the page. Rejects when no
 * download begins within 10 s, and after an abort.
 */
export async function downloadBegun(
  downloads: Pick<DownloadWatch, 'next'>,
  signal: AbortSignal,
  act: () => Promise<void>,
): Promise<string> {
  const next = downloads.next();
  const cancelled = Promise.withResolvers<never>();
  const onAbort = (): void => cancelled.reject(signal.reason);
  try {
    await act();
    signal.throwIfAborted();
    signal.addEventListener('abort', onAbort, { once: true });
    return await within(DOWNLOAD_BEGINS_MS, Promise.race([next.begun, cancelled.promise]), 'no download began');
  } finally {
    signal.removeEventListener('abort', onAbort);
    next.stop();
  }
}
