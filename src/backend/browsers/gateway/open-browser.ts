import type { HostedBrowser } from '../host.ts';
import { within } from '../within.ts';

/** A tab opens within a second on a crowded machine; a browser that takes longer than this hangs. */
const TAB_TIMEOUT_MS = 15_000;
/** A browser whose process has gone is cleaned up within this time. */
const END_TIMEOUT_MS = 5_000;

/** Opens a browser by its token and makes sure that a client finds a page in it (companion 8 D4). Null for a dead token. */
export async function openBrowser(
  open: (token: string) => Promise<HostedBrowser | null>,
  token: string,
): Promise<HostedBrowser | null> {
  const browser = await open(token);
  if (browser === null) return null;
  try {
    await withPage(browser);
    return browser;
  } catch (error) {
    // It may have ended under our hands: then its token opens another, or nothing any more.
    const end = await within(END_TIMEOUT_MS, browser.ended, 'The browser opens no tab.').catch(() => null);
    if (end === null) throw error;
    const next = await open(token);
    if (next !== null) await withPage(next);
    return next;
  }
}

async function withPage(browser: HostedBrowser): Promise<void> {
  await within(TAB_TIMEOUT_MS, browser.tab(), 'The browser opens no tab.');
}
