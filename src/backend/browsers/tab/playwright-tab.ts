import type { Page } from 'playwright-core';
import { type Tab, TabError } from '#backend/agent/tab.ts';
import { actAndSettle } from './act-and-settle.ts';
import { allowedAddress } from './allowed-address.ts';
import { asTabError, STEP_TIMEOUT_MS } from './as-tab-error.ts';
import { findClickable, findField } from './find-element.ts';
import type { Foreground } from './foreground.ts';
import { readHeadings, readLinks, readTables, readText } from './read-page.ts';

/** What a tab needs from the browser around it. */
export interface PlaywrightTabOptions {
  readonly foreground: Foreground;
  /** Why the latest request to a host was not let out, or null. */
  readonly refusalOf: (hostname: string) => string | null;
}

/**
 * The foreground page as an agent works on it; it follows popups and new tabs by itself. Dialogs are dismissed by
 * Playwright, which does so as long as nobody listens for them, so that no step waits for one.
 */
export function createPlaywrightTab({ foreground, refusalOf }: PlaywrightTabOptions): Tab {
  const onPage = <T>(what: string, step: (page: Page) => Promise<T>): Promise<T> =>
    asTabError(what, async () => step(await foreground.page()));
  const read = <T>(what: string, look: (page: Page) => Promise<T>): Promise<T> =>
    onPage(`Could not read ${what}`, (page) => readWhenParsed(page, look));

  return {
    async open(url) {
      const address = allowedAddress(url);
      await onPage(`Could not open ${address}`, (page) => openAddress(page, address, refusalOf));
    },
    url: () => onPage('Could not read the address', async (page) => page.url()),
    title: () => read('the title', (page) => page.title()),
    headings: () => read('the headings', (page) => page.evaluate(readHeadings)),
    links: () => read('the links', (page) => page.evaluate(readLinks)),
    tables: () => read('the tables', (page) => page.evaluate(readTables)),
    text: () => read('the text', (page) => page.evaluate(readText)),
    click: (name) =>
      onPage(`Could not click "${name}"`, async (page) => {
        const element = await findClickable(page, name);
        await actAndSettle(page, () => element.click({ timeout: STEP_TIMEOUT_MS }));
      }),
    type: (field, text) =>
      onPage(`Could not type into "${field}"`, async (page) =>
        (await findField(page, field)).fill(text, { timeout: STEP_TIMEOUT_MS }),
      ),
    press: (key) => onPage(`Could not press ${key}`, (page) => actAndSettle(page, () => page.keyboard.press(key))),
  };
}

/** Reads once the document is there; when a script or a refresh leads elsewhere meanwhile, reads the page it led to. */
async function readWhenParsed<T>(page: Page, look: (page: Page) => Promise<T>): Promise<T> {
  await page.waitForLoadState('domcontentloaded', { timeout: STEP_TIMEOUT_MS });
  try {
    return await look(page);
  } catch (error) {
    if (!(error instanceof Error && error.message.includes('Execution context was destroyed'))) throw error;
    await page.waitForLoadState('domcontentloaded', { timeout: STEP_TIMEOUT_MS });
    return look(page);
  }
}

async function openAddress(page: Page, address: string, refusalOf: (hostname: string) => string | null): Promise<void> {
  const explain = (url: string): TabError | null => {
    const refusal = refusalOf(new URL(url).hostname);
    return refusal === null ? null : new TabError(`Could not open ${address}: ${refusal}.`);
  };
  try {
    const response = await page.goto(address, { waitUntil: 'domcontentloaded', timeout: STEP_TIMEOUT_MS });
    // The proxy's refusal of a plain http request is an ordinary response to the browser.
    const refused = response === null ? null : explain(response.url());
    if (refused !== null) throw refused;
  } catch (error) {
    throw (error instanceof TabError ? null : explain(address)) ?? error;
  }
}
