import type { BrowserType } from 'playwright-core';
import { loadOptional } from '#contract/load-optional.ts';

/**
 * Loads Playwright on first use, because Playwright takes longer to load than the rest of the service, which may never
 * start a browser. Rejects with MissingPackage when Playwright is not installed.
 */
export async function loadPlaywright(): Promise<BrowserType> {
  const { chromium } = await loadOptional('browsers', () => import('playwright-core'));
  return chromium;
}

/**
 * Rejects with MissingPackage when Playwright is not installed. It does not load the package, so that checks before
 * the first browser stay fast.
 */
export async function demandPlaywright(): Promise<void> {
  await loadOptional('browsers', async () => import.meta.resolve('playwright-core'));
}
