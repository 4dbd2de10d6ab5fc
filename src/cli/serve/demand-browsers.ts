import { findChromium } from '#browsers/find-chromium.ts';
import { demandPlaywright } from '#browsers/launch/load-playwright.ts';

/**
 * Rejects with MissingPackage where real browsers could not be started for want of a package: said at the start of a service rather than by its
 * first task. A Chromium that the operator names is looked at when the first browser starts.
 */
export async function demandBrowsers(environment: Readonly<Record<string, string | undefined>>): Promise<void> {
  await demandPlaywright();
  const named = environment['CHROMIUM_PATH'];
  if (named === undefined || named === '') await findChromium({ environment });
}
