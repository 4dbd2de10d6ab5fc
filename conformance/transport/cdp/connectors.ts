import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CdpClient, CdpLimits, Connect, Connectors } from '../../core/cdp.ts';
import { connectRaw, markPage } from './raw-client.ts';
import type { Browser, Page } from 'playwright-core';
import { loadClient, attachWatched, releaseWatched, watchLibrary } from './client-library.ts';
import { releaseLimits, within } from './within.ts';

/**
 * Folder that Playwright would use for downloads; the suite downloads nothing. Without this folder, Playwright creates
 * a folder for each connection, and does not remove it if the connection fails.
 */
const artifactsDir = join(tmpdir(), 'svc-artifacts');

/**
 * Attaches Playwright (`connectOverCDP`), which is loaded on first use. Throws CdpFault when it cannot attach, and
 * NotTestable when the package is not installed.
 */
const connectPlaywright: Connect = async (address, given) => {
  const { chromium } = await loadClient('playwright-core', () => import('playwright-core'));
  const limits = watchLibrary('playwright-core', given);
  const browser = await attachWatched(limits, () =>
    within(
      {
        what: 'connectOverCDP of Playwright',
        call: chromium.connectOverCDP(address, { timeout: limits.timeoutMs, artifactsDir }),
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
      const page = listPages(browser).find((one) => one.url().includes(mark));
      if (page === undefined) return undefined;
      return String(await within({ what: 'evaluate of Playwright', call: page.evaluate(expression) }, limits));
    },
    departures: { close: () => close(limits) },
    // Playwright's `close` is its only way to end a CDP connection.
    release: () => releaseWatched(limits, async () => (browser.isConnected() ? close(releaseLimits()) : undefined)),
  } satisfies CdpClient;
};

// A page in a new context would be closed when the client disconnects.
async function newPage(browser: Browser): Promise<Page> {
  const [context] = browser.contexts();
  return context === undefined ? browser.newPage() : context.newPage();
}

function listPages(browser: Browser): Page[] {
  return browser.contexts().flatMap((context) => context.pages());
}

/**
 * Attaches Puppeteer (`connect`), which is loaded on first use. Throws CdpFault when it cannot attach, and NotTestable
 * when the package is not installed.
 */
const connectPuppeteer: Connect = async (address, given) => {
  const { connect } = await loadClient('puppeteer-core', () => import('puppeteer-core'));
  const limits = watchLibrary('puppeteer-core', given);
  const browser = await attachWatched(limits, () =>
    within(
      {
        what: 'connect of Puppeteer',
        call: connect({ browserWSEndpoint: address, defaultViewport: null, protocolTimeout: limits.timeoutMs }),
        discard: (late) => late.disconnect(),
      },
      limits,
    ),
  );
  const disconnect = (bounds: CdpLimits): Promise<void> =>
    within({ what: 'disconnect of Puppeteer', call: browser.disconnect() }, bounds);
  return {
    kind: 'puppeteer',
    open: async (mark) => {
      const page = await within({ what: 'newPage of Puppeteer', call: browser.newPage() }, limits);
      await within({ what: 'evaluate of Puppeteer', call: page.evaluate(markPage(mark)) }, limits);
    },
    evaluate: async (mark, expression) => {
      const pages = await within({ what: 'pages of Puppeteer', call: browser.pages() }, limits);
      const page = pages.find((one) => one.url().includes(mark));
      if (page === undefined) return undefined;
      return String(await within({ what: 'evaluate of Puppeteer', call: page.evaluate(expression) }, limits));
    },
    departures: {
      leave: () => disconnect(limits),
      close: () => within({ what: 'close of Puppeteer', call: browser.close() }, limits),
    },
    release: () => releaseWatched(limits, async () => (browser.connected ? disconnect(releaseLimits()) : undefined)),
  } satisfies CdpClient;
};

/** The connectors of the real automation clients. */
export const connectors: Connectors = {
  raw: connectRaw,
  playwright: connectPlaywright,
  puppeteer: connectPuppeteer,
};
