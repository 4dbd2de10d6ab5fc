import type { CDPSession, Frame, Locator, Page } from 'playwright-core';
import type { DownloadWatch } from '../downloads/watch-downloads.ts';
import { within } from '../within.ts';
import type { StepEnds } from './page-steps.ts';

/**
 * Does something to a page that may lead elsewhere, such as a click, and waits for what it set off: the new document when
 * it left the page, the new tab when it opened one. Playwright does not wait for either, so the next step would still
 * see the old page. What a page does later by a timer is not waited for, nor a new tab once `refused` has settled: it may
 * have been closed.
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
    // A page that closed itself took its session along.
    if (!page.isClosed()) await session.detach();
  }
  ends.signal.throwIfAborted();
  await popupsArrived(page, ends);
}

interface Navigation {
  /** Whether the page has asked to leave, once it has worked off what it had begun. */
  wasRequested(): Promise<boolean>;
  /** Settles when the new document is there, when there will be none, as with a download, or when the step is cancelled. */
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
 * Waits for one turn of the page's own task queue, since a form is submitted in a task after the key press. The request
 * to leave comes over the same channel before this answer. False when the page left before it could answer.
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

/** Setting up a page takes some milliseconds; a popup that needs longer than this is followed when it comes. */
const ARRIVAL_TIMEOUT_MS = 5_000;

/**
 * Waits until Playwright knows every tab that the browser has. The browser creates a popup while it handles a click, but
 * Playwright announces it only once it has set it up, so the step after the click would still work on the old page. Gives up
 * when `refused` settles: a popup that may not show what it was opened for never arrives.
 */
async function popupsArrived(page: Page, { refused, signal }: StepEnds): Promise<void> {
  // A click may close its own tab; then another one is in front already.
  if (page.isClosed()) return;
  const context = page.context();
  const count = await countTabs(page, signal);
  const gaveUp = refused.then(() => true);
  while (context.pages().length < count) {
    const arrived = context.waitForEvent('page', { timeout: ARRIVAL_TIMEOUT_MS, signal }).then(() => false);
    if (await Promise.race([arrived, gaveUp])) return;
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

/** How an element is clicked. */
interface ClickOptions {
  readonly timeout: number;
  readonly signal: AbortSignal;
  readonly clickCount?: 1 | 2;
}

/** Clicks an element. One that closes its own tab was clicked all the same, though Playwright loses the page under its hands. */
export async function clickOn(page: Page, element: Locator, options: ClickOptions): Promise<void> {
  try {
    await element.click(options);
  } catch (error) {
    // Before it clicks, Playwright waits for the element; a page that went then was not clicked. Only its log tells them apart.
    const wasClicked = error instanceof Error && error.message.includes('performing click action');
    if (!(wasClicked && page.isClosed())) throw error;
  }
}

/** A server that answers later than this has not begun to send. */
const DOWNLOAD_BEGINS_MS = 10_000;

/** Does what makes a page download a file, and waits until that has begun; answers the name that the page gives the file. */
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
