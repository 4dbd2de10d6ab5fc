import type { BrowserContext, CDPSession, Frame, Locator, Page } from 'playwright-core';
import type { DownloadWatch } from '../downloads/watch-downloads.ts';
import { within } from '../within.ts';
import type { StepEnds } from './page-steps.ts';

/**
 * Performs an action that may navigate, such as a click, and waits for the new document or the new tab. Playwright
 * waits for neither, so the next step would see the old page. Does not wait for later navigations by a timer, nor for a
 * new tab after `refused` has resolved. Waits at most 5 s for a new tab.
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
  /** Waits until the page has run its queued tasks. Then returns whether the page has requested a navigation. */
  wasRequested(): Promise<boolean>;
  /**
   * Resolves when the new document has arrived, or when none will come: the navigation was a download, the page closed,
   * or the step was cancelled.
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
 * Waits until the page has run the tasks in its queue, because a form is submitted in a task after the key press. A
 * navigation event of such a task arrives before the reply. Resolves to true when the page replies, and to false when
 * the page navigates or closes before its reply.
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

/** Timeout for a new tab. Playwright announces a popup only when the server of the popup's page has responded. */
const arrivalTimeoutMs = 5_000;

/**
 * Waits until Playwright has announced every tab of the page's browser context. The browser creates a popup during a
 * click, but Playwright announces it later, so the next step would use the old page. Stops waiting when `refused`
 * resolves, because a popup whose navigation was blocked never arrives. Also stops waiting when no tab arrives within 5
 * s. Rejects when the signal aborts.
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

/** Waits for the next tab of a browser context. Resolves to false when no tab arrives within 5 s. */
async function hasTabArrived(context: BrowserContext, signal: AbortSignal): Promise<boolean> {
  try {
    await context.waitForEvent('page', { timeout: arrivalTimeoutMs, signal });
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

/** Clicks an element. A click that closes its own page counts as successful, although Playwright reports an error. */
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

/** Time within which a download must begin after the action, in milliseconds. */
const downloadBeginsMs = 10_000;

/**
 * Performs an action and waits until a download begins. Returns the file name that the page gives. Rejects when no
 * download begins within 10 s, and when the signal aborts.
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
    return await within(downloadBeginsMs, Promise.race([next.begun, cancelled.promise]), 'no download began');
  } finally {
    signal.removeEventListener('abort', onAbort);
    next.stop();
  }
}
