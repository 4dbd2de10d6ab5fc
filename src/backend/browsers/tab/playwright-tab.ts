import type { Locator, Page } from 'playwright-core';
import { type Tab, TabError } from '#backend/agent/tab.ts';
import { actAndSettle } from './act-and-settle.ts';
import { allowedAddress } from './allowed-address.ts';
import { asTabError, STEP_TIMEOUT_MS } from './as-tab-error.ts';
import type { Confinement, RefusalWatch } from './confinement.ts';
import type { DownloadWatch } from '../downloads/index.ts';
import { findClickable, findField, findFileInput } from './find-element.ts';
import type { Foreground } from './foreground.ts';
import { within } from '../within.ts';
import { notAllowed, notThere } from './not-allowed.ts';
import { readHeadings, readLinks, readTables, readText } from './read-page.ts';

/** A server that answers later than this has not begun to send. */
const DOWNLOAD_BEGINS_MS = 10_000;

/** What a tab needs from the browser around it. */
export interface PlaywrightTabOptions {
  readonly foreground: Foreground;
  readonly confinement: Pick<Confinement, 'watch'>;
  readonly downloads: Pick<DownloadWatch, 'next'>;
  /** Why the latest request to a host was not let out, or null. */
  readonly refusalOf: (hostname: string) => string | null;
}

/**
 * The foreground page as an agent works on it; it follows popups and new tabs by itself. Dialogs are dismissed by
 * Playwright, which does so as long as nobody listens for them, so that no step waits for one.
 */
export function createPlaywrightTab({ foreground, confinement, downloads, refusalOf }: PlaywrightTabOptions): Tab {
  const onPage = <T>(what: string, step: (page: Page) => Promise<T>): Promise<T> =>
    asTabError(what, async () => step(await foreground.page()));
  /** What a person would do on the page; it did not work when the page was kept from where it would have led. */
  const act = async (what: string, step: (page: Page, refused: Promise<void>) => Promise<void>): Promise<void> => {
    const watch = confinement.watch();
    const refusal = await explained(what, watch, () => onPage(what, (page) => step(page, watch.refused)));
    if (refusal !== null) throw refusal;
  };
  const read = <T>(what: string, look: (page: Page) => Promise<T>): Promise<T> =>
    onPage(`Could not read ${what}`, (page) => readWhenParsed(page, look));

  return {
    async open(url) {
      const address = allowedAddress(url);
      const what = `Could not open ${address}`;
      // A page that is open, and was kept from leaving by itself, is what was asked for.
      await explained(what, confinement.watch(), () => onPage(what, (page) => openAddress(page, address, refusalOf)));
    },
    url: () => onPage('Could not read the address', async (page) => page.url()),
    title: () => read('the title', (page) => page.title()),
    headings: () => read('the headings', (page) => page.evaluate(readHeadings)),
    links: () => read('the links', (page) => page.evaluate(readLinks)),
    tables: () => read('the tables', (page) => page.evaluate(readTables)),
    text: () => read('the text', (page) => page.evaluate(readText)),
    click: (name) =>
      act(`Could not click "${name}"`, async (page, refused) => {
        const element = await findClickable(page, name);
        await actAndSettle(page, refused, () => element.click({ timeout: STEP_TIMEOUT_MS }));
      }),
    type: (field, text, isPlace) =>
      onPage(`Could not type into "${field}"`, async (page) => {
        const found = await findField(page, field);
        await (isPlace === undefined ? found.fill(text, fillTime) : fillAt(page, { found, field, text, isPlace }));
      }),
    upload: (field, { name, contentType: mimeType, bytes }) =>
      onPage(`Could not put the file into ${field === null ? 'the page' : `"${field}"`}`, async (page) =>
        (await findFileInput(page, field)).setInputFiles(
          { name, mimeType, buffer: Buffer.from(bytes) },
          { timeout: STEP_TIMEOUT_MS },
        ),
      ),
    async download(name) {
      const what = `Could not download "${name}"`;
      const next = downloads.next();
      try {
        await act(what, async (page) => {
          await (await findClickable(page, name)).click({ timeout: STEP_TIMEOUT_MS });
          await within(DOWNLOAD_BEGINS_MS, next.begun, 'no download began');
        });
        return await next.begun;
      } finally {
        next.stop();
      }
    },
    press: (key) =>
      act(`Could not press ${key}`, (page, refused) => actAndSettle(page, refused, () => page.keyboard.press(key))),
  };
}

const fillTime = { timeout: STEP_TIMEOUT_MS };

interface BoundText {
  readonly found: Locator;
  readonly field: string;
  readonly text: string;
  readonly isPlace: (address: string) => boolean;
}

/** Fills the very element whose document was judged: one that the page has left meanwhile takes no text any more. */
async function fillAt(page: Page, { found, field, text, isPlace }: BoundText): Promise<void> {
  const element = await found.elementHandle(fillTime);
  if (element === null || !isPlace(page.url())) throw new TabError(notThere(field, page.url()));
  await element.fill(text, fillTime);
}

/** Does what may lead elsewhere; a failure is explained by the address that a page was kept from meanwhile, which is answered. */
async function explained(what: string, watch: RefusalWatch, step: () => Promise<void>): Promise<TabError | null> {
  const keptFrom = (): TabError | null => {
    const address = watch.address();
    return address === null ? null : new TabError(`${what}: ${notAllowed(address)}.`);
  };
  try {
    await step();
    return keptFrom();
  } catch (error) {
    throw keptFrom() ?? error;
  } finally {
    watch.stop();
  }
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
