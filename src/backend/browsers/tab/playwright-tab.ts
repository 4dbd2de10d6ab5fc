import type { Locator, Page } from 'playwright-core';
import { type Tab, TabError } from '#backend/agent/tab.ts';
import { actAndSettle } from './act-and-settle.ts';
import { allowedAddress } from './allowed-address.ts';
import { asTabError, STEP_TIMEOUT_MS } from './as-tab-error.ts';
import type { Confinement } from './confinement.ts';
import { createDialogs, type DialogAnswers } from './dialog-answers.ts';
import type { DownloadWatch } from '../downloads/index.ts';
import { findClickable, findField, findFileInput } from './find-element.ts';
import type { Foreground } from './foreground.ts';
import { goBack } from './go-back.ts';
import { within } from '../within.ts';
import { notThere } from './not-allowed.ts';
import { createPageSteps } from './page-steps.ts';
import { clickOn } from './click-on.ts';
import { createElements } from './elements.ts';
import { createTabList } from './tab-list.ts';
import { takeScreenshot } from './screenshot.ts';
import { takeSnapshot } from './snapshot.ts';
import { waitForText } from './wait-for-text.ts';
import { readHeadings, readLinks, readTables, readText, readTitle } from './read-page.ts';

/** A server that answers later than this has not begun to send. */
const DOWNLOAD_BEGINS_MS = 10_000;

/** What a tab needs from the browser around it. */
export interface PlaywrightTabOptions {
  readonly foreground: Foreground;
  readonly confinement: Pick<Confinement, 'watch' | 'allows'>;
  readonly downloads: Pick<DownloadWatch, 'next'>;
  readonly dialogs: DialogAnswers;
  /** Why the latest request to a host was not let out, or null. */
  readonly refusalOf: (hostname: string) => string | null;
}

/**
 * The foreground page as an agent works on it; it follows popups and new tabs by itself. Dialogs are answered by the
 * browser's watch (dialog-watch.ts), so that no step waits for one.
 */
export function createPlaywrightTab(options: PlaywrightTabOptions): Tab {
  const { foreground, confinement, downloads, refusalOf } = options;
  const steps = createPageSteps({ foreground, confinement });
  const { onPage, act, read } = steps;

  return {
    async open(url) {
      const address = allowedAddress(url);
      await steps.open(`Could not open ${address}`, (page) => openAddress(page, address, refusalOf));
    },
    url: () => onPage('Could not read the address', async (page) => page.url()),
    title: () => read('the title', (page) => page.evaluate(readTitle)),
    headings: () => read('the headings', (page) => page.evaluate(readHeadings)),
    links: () => read('the links', (page) => page.evaluate(readLinks)),
    tables: () => read('the tables', (page) => page.evaluate(readTables)),
    text: () => read('the text', (page) => page.evaluate(readText)),
    click: (name) =>
      act(`Could not click "${name}"`, async (page, refused) => {
        const element = await findClickable(page, name);
        await actAndSettle(page, refused, () => clickOn(page, element, { timeout: STEP_TIMEOUT_MS }));
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
    snapshot: () => read('the page', takeSnapshot),
    elements: createElements(steps, { downloads, allows: (address) => confinement.allows(address) }),
    tabs: createTabList(foreground),
    dialogs: createDialogs(options.dialogs),
    back: () => act('Could not go back', goBack),
    waitFor: (text, state, timeoutMs) =>
      onPage(`Could not wait for "${text}"`, (page) => waitForText(page, { text, state, timeoutMs })),
    screenshot: () => asTabError('Could not take a picture', () => takeScreenshot(foreground)),
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
