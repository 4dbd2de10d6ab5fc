import type { BrowserType } from 'playwright-core';

/** The client that pages are driven through. It takes longer to load than all the rest of a service, which may never start a browser. */
export async function loadPlaywright(): Promise<BrowserType> {
  const { chromium } = await import('playwright-core');
  return chromium;
}
