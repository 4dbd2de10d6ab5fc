import type { BrowserType } from 'playwright-core';
import { loadOptional } from '#contract/load-optional.ts';

/**
 * Loads Playwright on the first call. It takes longer to load than the rest of the service, and many processes never
 * start a browser. Rejects with MissingPackage when Playwright is not installed.
 */
export async function loadPlaywright(): Promise<BrowserType> {
  const { chromium } = await loadOptional('browsers', () => import('playwright-core'));
  return chromium;
}

/** Checks that Playwright is installed, without loading it; rejects with MissingPackage if it is not. */
export async function demandPlaywright(): Promise<void> {
  await loadOptional('browsers', async () => import.meta.resolve('playwright-core'));
}
