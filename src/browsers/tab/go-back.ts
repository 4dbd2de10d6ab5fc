import type { Page } from 'playwright-core';
import { TabError } from './tab.ts';
import { STEP_TIMEOUT_MS } from './as-tab-error.ts';
import type { StepEnds } from './page-steps.ts';

/** Goes to the page before; throws a {@link TabError} when there is none. */
export async function goBack(page: Page, { refused, signal }: StepEnds): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { currentIndex } = await session.send('Page.getNavigationHistory', undefined, { signal });
  await session.detach();
  if (currentIndex === 0) throw new TabError('Could not go back: this is the first page of the tab.');
  // A page that may not be shown again answers nothing: whoever waits for it is told by the refusal.
  const gone = page.goBack({ waitUntil: 'domcontentloaded', timeout: STEP_TIMEOUT_MS, signal });
  await Promise.race([gone, refused.then(() => gone.catch(() => null))]);
}
