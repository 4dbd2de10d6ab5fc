import type { HostedBrowser } from '../host.ts';
import { within } from '../within.ts';

/** A tab opens within a second on a crowded machine; a browser that takes longer than this hangs. */
const TAB_TIMEOUT_MS = 15_000;
/** A browser whose process has gone is cleaned up within this time. */
const END_TIMEOUT_MS = 5_000;

/** The browser behind a token, started when it is not running; null for a dead token. */
export type OpenBrowser = (token: string) => Promise<HostedBrowser | null>;

/**
 * Opens a browser by its token, makes sure that a client finds a page in it (companion 8 D4), and works with it. One that ends
 * meanwhile counts as not opened yet: the same is done once more with the next. Null for a dead token.
 */
export async function withBrowser<Result>(
  open: OpenBrowser,
  token: string,
  work: (browser: HostedBrowser) => Promise<Result>,
): Promise<Result | null> {
  const browser = await open(token);
  if (browser === null) return null;
  try {
    return await inPage(browser, work);
  } catch (error) {
    // It may have ended under our hands: then its token opens another, or nothing any more.
    const end = await within(END_TIMEOUT_MS, browser.ended, 'The browser did not end.').catch(() => null);
    if (end === null) throw error;
    const next = await open(token);
    return next === null ? null : inPage(next, work);
  }
}

async function inPage<Result>(
  browser: HostedBrowser,
  work: (browser: HostedBrowser) => Promise<Result>,
): Promise<Result> {
  await within(TAB_TIMEOUT_MS, browser.tab(), 'The browser opens no tab.');
  return work(browser);
}
