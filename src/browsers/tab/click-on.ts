import type { Locator, Page } from 'playwright-core';

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
