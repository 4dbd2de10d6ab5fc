import type { BrowserType } from 'playwright-core';
import { loadOptional } from '#contract/load-optional.ts';

/**
 * The client that pages are driven through. It takes longer to load than all the rest of a service, which may never start a browser. Rejects
 * with MissingPackage where it is not installed.
 */
export async function loadPlaywright(): Promise<BrowserType> {
  const { chromium } = await loadOptional('browsers', () => import('playwright-core'));
  return chromium;
}

/** Rejects with MissingPackage where `loadPlaywright` would. It loads nothing, for checks before the first browser. */
export async function demandPlaywright(): Promise<void> {
  await loadOptional('browsers', async () => import.meta.resolve('playwright-core'));
}
