import type { Page } from 'playwright-core';
import type { StepEnds } from './page-steps.ts';

/** Setting up a page takes some milliseconds; a popup that needs longer than this is followed when it comes. */
const ARRIVAL_TIMEOUT_MS = 5_000;

/**
 * Waits until Playwright knows every tab that the browser has. The browser creates a popup while it handles a click, but
 * Playwright announces it only once it has set it up, so the step after the click would still work on the old page. Gives up
 * when `refused` settles: a popup that may not show what it was opened for never arrives.
 */
export async function popupsArrived(page: Page, { refused, signal }: StepEnds): Promise<void> {
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
