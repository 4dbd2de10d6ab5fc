import type { Browser, Page } from 'playwright-core';
import type { CdpClient, CdpLimits, Connect } from '../../core/cdp.ts';
import { loadClient } from './load-client.ts';
import { attachWatched, releaseWatched, watchLibrary } from './library-faults.ts';
import { markPage } from './mark-page.ts';
import { releaseLimits, within } from './within.ts';

/** Attaches Playwright (`connectOverCDP`), which is loaded when it is first needed. Throws CdpFault when it cannot attach. */
export const connectPlaywright: Connect = async (address, given) => {
  const { chromium } = await loadClient('playwright-core', () => import('playwright-core'));
  const limits = watchLibrary('playwright-core', given);
  const browser = await attachWatched(limits, () =>
    within(
      {
        what: 'connectOverCDP of Playwright',
        call: chromium.connectOverCDP(address, { timeout: limits.timeoutMs }),
        discard: (late) => late.close(),
      },
      limits,
    ),
  );
  const close = (bounds: CdpLimits): Promise<void> =>
    within({ what: 'close of Playwright', call: browser.close() }, bounds);
  return {
    kind: 'playwright',
    open: async (mark) => {
      const page = await within({ what: 'newPage of Playwright', call: newPage(browser) }, limits);
      await within({ what: 'evaluate of Playwright', call: page.evaluate(markPage(mark)) }, limits);
    },
    evaluate: async (mark, expression) => {
      const page = pagesOf(browser).find((one) => one.url().includes(mark));
      if (page === undefined) return undefined;
      return String(await within({ what: 'evaluate of Playwright', call: page.evaluate(expression) }, limits));
    },
    departures: { close: () => close(limits) },
    // Over CDP its close is the only way to end the connection.
    release: () => releaseWatched(limits, async () => (browser.isConnected() ? close(releaseLimits()) : undefined)),
  } satisfies CdpClient;
};

// A page of a context of its own would go with the client.
async function newPage(browser: Browser): Promise<Page> {
  const [context] = browser.contexts();
  return context === undefined ? browser.newPage() : context.newPage();
}

function pagesOf(browser: Browser): Page[] {
  return browser.contexts().flatMap((context) => context.pages());
}
