import { setImmediate } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';
import { type OpenTab, type RunStep, type Tab, TabError, type TabList } from './tab.ts';
import { actAndSettle, clickOn, downloadBegun } from './act-and-settle.ts';
import { allowedAddress, notThere } from './addresses.ts';
import { createPageSteps, type StepEnds } from './page-steps.ts';
import { stepTimeoutMs } from './step-runner.ts';
import type { Confinement } from './confinement.ts';
import { createDialogs, type DialogAnswers } from './dialogs.ts';
import type { DownloadWatch } from '../downloads/watch-downloads.ts';
import { findClickable, findField, findFileInput } from './find-element.ts';
import { type Foreground, takeScreenshot } from './foreground.ts';
import { createElements } from './elements.ts';
import { takeMarkedScreenshot } from './mark-elements.ts';
import { within } from '../within.ts';
import { framesAtOnce, readHeadings, readLinks, readTables, readText, readTitle, takeSnapshot } from './snapshot.ts';

/** Dependencies of a tab. */
export interface PlaywrightTabOptions {
  readonly foreground: Foreground;
  /** Runs the steps of the tab's task. */
  readonly runStep: RunStep;
  readonly confinement: Pick<Confinement, 'watch' | 'allows'>;
  readonly downloads: Pick<DownloadWatch, 'next'>;
  readonly dialogs: DialogAnswers;
  /** Returns why the egress proxy rejected the latest request to a host; null if it did not. */
  readonly getRefusal: (hostname: string) => string | null;
}

/**
 * Creates the tab that an agent works with. Its steps use the page that is in front, including popups and new tabs. The
 * browser's dialog watch answers dialogs, so that no step waits for a dialog.
 */
export function createPlaywrightTab(options: PlaywrightTabOptions): Tab {
  const { foreground, confinement, downloads, getRefusal, runStep } = options;
  const steps = createPageSteps({ foreground, confinement, runStep });
  const { onPage, act, read } = steps;

  return {
    async open(url) {
      const address = allowedAddress(url);
      await steps.open(`Could not open ${address}`, (page, signal) =>
        openAddress(page, address, { getRefusal, signal }),
      );
    },
    url: () => onPage('Could not read the address', async (page) => page.url()),
    title: () => read('the title', (page) => page.evaluate(readTitle)),
    headings: () => read('the headings', (page) => page.evaluate(readHeadings)),
    links: () => read('the links', (page) => page.evaluate(readLinks)),
    tables: () => read('the tables', (page) => page.evaluate(readTables)),
    text: () => read('the text', (page) => page.evaluate(readText)),
    click: (name) =>
      act(`Could not click "${name}"`, async (page, ends) => {
        const element = await findClickable(page, name, ends.signal);
        await actAndSettle(page, ends, () => clickOn(page, element, stepTime(ends.signal)));
      }),
    type: (field, text, isPlace) =>
      onPage(`Could not type into "${field}"`, async (page, signal) => {
        const found = await findField(page, field, signal);
        await (isPlace === undefined
          ? found.fill(text, stepTime(signal))
          : fillAt(page, { found, field, text, isPlace, signal }));
      }),
    upload: (field, { name, contentType: mimeType, bytes }) =>
      onPage(`Could not put the file into ${field === null ? 'the page' : `"${field}"`}`, async (page, signal) =>
        (await findFileInput(page, field, signal)).setInputFiles(
          { name, mimeType, buffer: Buffer.from(bytes) },
          stepTime(signal),
        ),
      ),
    async download(name) {
      let fileName = '';
      await act(`Could not download "${name}"`, async (page, { signal }) => {
        fileName = await downloadBegun(downloads, signal, async () =>
          (await findClickable(page, name, signal)).click(stepTime(signal)),
        );
      });
      return fileName;
    },
    press: (key) =>
      act(`Could not press ${key}`, (page, ends) => actAndSettle(page, ends, () => page.keyboard.press(key))),
    snapshot: () => read('the page', takeSnapshot),
    elements: createElements(steps, { downloads, allows: (address) => confinement.allows(address) }),
    tabs: createTabList(foreground, runStep),
    dialogs: createDialogs(options.dialogs),
    back: () => act('Could not go back', goBack),
    waitFor: (text, state, timeoutMs) =>
      onPage(`Could not wait for "${text}"`, (page, signal) => waitForText(page, { text, state, timeoutMs, signal })),
    screenshot: (marked = []) =>
      runStep('Could not take a picture', (signal) =>
        marked.length === 0 ? takeScreenshot(foreground, signal) : takeMarkedScreenshot(foreground, marked, signal),
      ),
  };
}

/** Returns the timeout and abort signal with which a step waits for an element. */
function stepTime(signal: AbortSignal): { readonly timeout: number; readonly signal: AbortSignal } {
  return { timeout: stepTimeoutMs, signal };
}

interface BoundText {
  readonly found: Locator;
  readonly field: string;
  readonly text: string;
  readonly isPlace: (address: string) => boolean;
  readonly signal: AbortSignal;
}

/**
 * Fills a field with a text. Rejects with a {@link TabError} if the page may not receive the text. Fills only the
 * checked element, so that a page that is loaded meanwhile receives nothing.
 */
async function fillAt(page: Page, { found, field, text, isPlace, signal }: BoundText): Promise<void> {
  const element = await found.elementHandle(stepTime(signal));
  if (element === null || !isPlace(page.url())) throw new TabError(notThere(field, page.url()));
  await element.fill(text, stepTime(signal));
}

interface Opening {
  readonly getRefusal: PlaywrightTabOptions['getRefusal'];
  readonly signal: AbortSignal;
}

async function openAddress(page: Page, address: string, { getRefusal, signal }: Opening): Promise<void> {
  const explain = (url: string): TabError | null => {
    const refusal = getRefusal(new URL(url).hostname);
    return refusal === null ? null : new TabError(`Could not open ${address}: ${refusal}.`);
  };
  try {
    const response = await page.goto(address, { waitUntil: 'domcontentloaded', ...stepTime(signal) });
    // To the browser, the proxy's rejection of an HTTP request is an ordinary response.
    const refused = response === null ? null : explain(response.url());
    if (refused !== null) throw refused;
  } catch (error) {
    throw (error instanceof TabError ? null : explain(address)) ?? error;
  }
}

/** Navigates to the previous page of the tab. Throws a {@link TabError} for the first page. */
async function goBack(page: Page, { refused, signal }: StepEnds): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { currentIndex } = await session.send('Page.getNavigationHistory', undefined, { signal });
  await session.detach();
  if (currentIndex === 0) throw new TabError('Could not go back: this is the first page of the tab.');
  // A forbidden earlier page does not respond; the blocked navigation ends the wait.
  const gone = page.goBack({ waitUntil: 'domcontentloaded', timeout: stepTimeoutMs, signal });
  await Promise.race([gone, refused.then(() => gone.catch(() => null))]);
}

/** Text to wait for, and the timeout. */
interface TextToWaitFor {
  readonly text: string;
  readonly state: 'visible' | 'hidden';
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Maximum time to wait for a text: one second less than the timeout of a step, so that the wait ends before the step
 * times out.
 */
const waitMaxMs = stepTimeoutMs - 1_000;

/**
 * Waits until a frame of the page shows the text (`visible`), or until no frame shows it (`hidden`). Rejects with a
 * TabError at the timeout.
 */
async function waitForText(page: Page, { text, state, timeoutMs, signal }: TextToWaitFor): Promise<void> {
  const timeout = Math.min(timeoutMs, waitMaxMs);
  const waits: Promise<void>[] = [];
  for (const [index, frame] of page.frames().entries()) {
    // A page may have hundreds of frames: they are handled in groups, so that other work continues.
    if (index % framesAtOnce === framesAtOnce - 1) await setImmediate();
    const wait = frame.getByText(text).filter({ visible: true }).first().waitFor({ state, timeout, signal });
    // The promise is awaited below, but may reject before.
    wait.catch(() => undefined);
    waits.push(wait);
  }
  try {
    await (state === 'visible' ? Promise.any(waits) : Promise.all(waits));
  } catch (error) {
    signal.throwIfAborted();
    const isLate = error instanceof AggregateError || (error instanceof Error && error.name === 'TimeoutError');
    if (!isLate) throw error;
    const was = state === 'visible' ? 'did not appear' : 'did not go away';
    throw new TabError(`"${text}" ${was} within ${timeout / 1_000} s.`, { cause: error });
  }
}

/**
 * Creates the list of a browser's tabs for an agent. The tabs are in the order in which they came to the front, the
 * foreground tab last.
 */
function createTabList(foreground: Foreground, runStep: RunStep): TabList {
  const getPage = (number: number): Page => {
    const page = foreground.all()[number - 1];
    if (page !== undefined) return page;
    throw new TabError(`There is no tab ${number}: there are ${foreground.all().length}.`);
  };
  return {
    list: () => runStep('Could not list the tabs', () => Promise.all(foreground.all().map(shown))),
    show: (number) =>
      runStep(`Could not show tab ${number}`, async () => {
        const page = getPage(number);
        await page.bringToFront();
        foreground.show(page);
      }),
    close: (number) => runStep(`Could not close tab ${number}`, () => getPage(number).close()),
    add: () => runStep('Could not open a tab', () => foreground.add()),
  };

  async function shown(page: Page, index: number): Promise<OpenTab> {
    return {
      number: index + 1,
      url: page.url(),
      title: await getTitle(page),
      isFront: page === foreground.newest(),
    };
  }
}

/** Timeout of reading the title of a tab, in milliseconds. */
const titleMs = 1_000;

/** Returns the title of a tab; empty for a tab that does not answer or has just closed, so that the others are listed. */
async function getTitle(page: Page): Promise<string> {
  try {
    return await within(titleMs, page.evaluate(readTitle), 'The tab does not answer.');
  } catch {
    return '';
  }
}
