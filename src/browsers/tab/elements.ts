import type { Locator, Page } from 'playwright-core';
import { type ElementFacts, type TabElements, TabError, type FileToUpload, type ScrollDirection } from './tab.ts';
import { actAndSettle, clickOn, downloadBegun } from './act-and-settle.ts';
import { frameAddress, notThere } from './addresses.ts';
import type { PageSteps } from './page-steps.ts';
import type { DownloadWatch } from '../downloads/watch-downloads.ts';

/** Dependencies of the elements of a page. */
export interface ElementsOptions {
  readonly downloads: Pick<DownloadWatch, 'next'>;
  /** Returns whether pages with a URL may be shown. */
  readonly allows: (address: string) => boolean;
}

/**
 * Creates the methods that act on elements of the foreground page. Each element is identified by its reference in the
 * latest snapshot of the page.
 */
export function createElements({ onPage, act }: PageSteps, { downloads, allows }: ElementsOptions): TabElements {
  const toActOn = (page: Page, ref: string, timeout: ActTime): Promise<Locator> =>
    findToActOn(page, { ref, timeout, allows });
  const acting = (what: string, step: (page: Page, timeout: ActTime) => Promise<void>): Promise<void> =>
    act(what, (page, ends) => actAndSettle(page, ends, () => toldWhy(() => step(page, actTime(ends.signal)))));
  const on = (what: string, ref: string, step: (element: Locator, timeout: ActTime) => Promise<void>): Promise<void> =>
    acting(what, async (page, timeout) => step(await toActOn(page, ref, timeout), timeout));
  return {
    click: (ref, count = 1) =>
      acting(`Could not click ${ref}`, async (page, timeout) =>
        clickOn(page, await toActOn(page, ref, timeout), { ...timeout, clickCount: count }),
      ),
    hover: (ref) => on(`Could not point at ${ref}`, ref, (element, timeout) => element.hover(timeout)),
    type: (ref, text, isPlace) =>
      on(`Could not type into ${ref}`, ref, (element, { signal }) =>
        fillByRef(element, { ref, text, isPlace: isPlace ?? null, signal }),
      ),
    select: (ref, options) =>
      on(`Could not select in ${ref}`, ref, async (element, timeout) => {
        await element.selectOption([...options], timeout);
      }),
    check: (ref, isChecked) =>
      on(`Could not ${isChecked ? 'check' : 'uncheck'} ${ref}`, ref, (element, timeout) =>
        element.setChecked(isChecked, timeout),
      ),
    press: (ref, key) =>
      acting(`Could not press ${key}`, async (page, timeout) => {
        await (await toActOn(page, ref, timeout)).focus(timeout);
        // Not cancellable between key down and key up: the next task would find the key pressed.
        await page.keyboard.press(key);
      }),
    scroll: (ref, direction, pages) =>
      acting('Could not scroll', async (page, timeout) => {
        const inside = ref === null ? page.locator(':root') : await toActOn(page, ref, timeout);
        await inside.evaluate(scrollBy, { isPage: ref === null, direction, pages }, timeout);
      }),
    text: (ref) =>
      onPage(`Could not read ${ref}`, async (page, signal) =>
        (await findByRef(page, ref)).evaluate(readElement, null, actTime(signal)),
      ),
    describe: (ref) =>
      onPage(`Could not look at ${ref}`, async (page, signal) =>
        (await findByRef(page, ref)).evaluate(describeElement, null, actTime(signal)),
      ),
    upload: (ref, file) =>
      acting(`Could not put the file into ${ref}`, async (page, timeout) =>
        uploadByRef(page, await toActOn(page, ref, timeout), { ...file, signal: timeout.signal }),
      ),
    async download(ref) {
      let name = '';
      await act(`Could not download ${ref}`, async (page, { signal }) => {
        name = await downloadBegun(downloads, signal, async () => {
          const element = await toActOn(page, ref, actTime(signal));
          await toldWhy(() => element.click(actTime(signal)));
        });
      });
      return name;
    },
  };
}

/**
 * Finds the element of a reference for an action. Rejects for an element in a frame with a forbidden URL, because such
 * a frame could send received data to its server.
 */
async function findToActOn(
  page: Page,
  { ref, timeout, allows }: { readonly ref: string; readonly timeout: ActTime } & Pick<ElementsOptions, 'allows'>,
): Promise<Locator> {
  const found = await findByRef(page, ref);
  const element = await found.elementHandle(timeout);
  const frame = (await element?.ownerFrame()) ?? null;
  if (frame === null || frame === page.mainFrame() || allows(frameAddress(frame))) return found;
  throw new Error(`it is in a frame of ${URL.parse(frame.url())?.host ?? ''}, which is not one of the allowed domains`);
}

/** Timeout and abort signal of an action on an element. */
interface ActTime {
  readonly timeout: number;
  readonly signal: AbortSignal;
}

function actTime(signal: AbortSignal): ActTime {
  return { timeout: actTimeoutMs, signal };
}

/*
 * This function runs in the page: Playwright sends its source text, so it must be self-contained. The interface
 * declares the members that it uses.
 */

interface ReadableElement {
  readonly value?: unknown;
  readonly type?: string;
  readonly innerText?: string;
  readonly textContent: string | null;
  /** The selected options. Present only for a `select` element, whose `innerText` contains every option. */
  readonly selectedOptions?: Iterable<{ readonly label: string }>;
}

/**
 * Returns the visible text of an element, at most 100,000 characters. For a `select`, returns the labels of its
 * selected options. For a field without visible text, returns its value; for a password field, an empty text. Runs in
 * the page.
 */
function readElement(element: ReadableElement): string {
  if (element.type === 'password') return '';
  const { selectedOptions, value } = element;
  const shown =
    selectedOptions === undefined
      ? (element.innerText ?? element.textContent ?? '')
      : Array.from(selectedOptions, ({ label }) => label).join('\n');
  return (typeof value === 'string' && shown === '' ? value : shown).slice(0, 100_000);
}

/*
 * This function runs in the page: Playwright sends its source text, so it must be self-contained. The interfaces
 * declare the members that it uses.
 */

interface DescribedElement {
  readonly localName: string;
  readonly type?: unknown;
  readonly ownerDocument: { readonly URL: string; readonly baseURI: string };
  readonly form?: DescribedElement | null;
  closest(selector: string): DescribedElement | null;
  getAttribute(name: string): string | null;
}

/**
 * Returns facts about an element: its document, kind and target. Reads attributes instead of properties, because a
 * field of a form can hide a property of the form. Runs in the page.
 */
function describeElement(element: DescribedElement): ElementFacts {
  const { localName, type, ownerDocument, form } = element;
  const resolved = (address: string): URL | null => URL.parse(address, ownerDocument.baseURI);
  const link = resolved(element.closest('a[href]')?.getAttribute('href') ?? 'none:');
  const kind = typeof type === 'string' && type !== '' ? `${localName}:${type}` : localName;
  const getField = (): string => {
    const name = element.getAttribute('name') ?? '';
    const hasValue = /^(?:button|input):(?:submit|radio|checkbox|image)$/.test(kind);
    return hasValue && name !== '' ? `${name}=${element.getAttribute('value') ?? ''}` : name;
  };
  const getFormTarget = (of: DescribedElement): string => {
    const action = resolved(element.getAttribute('formaction') ?? of.getAttribute('action') ?? '');
    const method = (of.getAttribute('method') ?? 'get').toLowerCase();
    return `${method} ${action?.origin ?? ''}${action?.pathname ?? ''} ${getField()}`.trim();
  };
  const isLink = link !== null && /^https?:$/.test(link.protocol);
  const isIdle = /^(?:button|input):(?:button|reset)$/.test(kind);
  const formTarget = form === null || form === undefined || isIdle ? null : getFormTarget(form);
  const target = isLink ? link.href : formTarget;
  return { address: ownerDocument.URL.slice(0, 2000), kind, target: target === null ? null : target.slice(0, 2000) };
}

/**
 * Returns the element of a reference in the latest snapshot. Throws a {@link TabError} at once when the element does
 * not exist any more.
 */
async function findByRef(page: Page, ref: string): Promise<Locator> {
  const found = /^(f\d+)?e\d+$/.test(ref) ? await getCount(page, ref) : 0;
  if (found === 0)
    throw new TabError(`There is no element ${ref} on the page any more. Use a reference of its latest snapshot.`);
  return page.getByRef(ref);
}

async function getCount(page: Page, ref: string): Promise<number> {
  try {
    return await page.getByRef(ref).count();
  } catch (error) {
    // A removed frame cannot be searched.
    if (error instanceof Error && /frame|Frame|snapshot/.test(error.message)) return 0;
    throw error;
  }
}

/**
 * Uploads a file to a file input. For another element, clicks it and uploads the file to the file chooser that opens.
 */
async function uploadByRef(
  page: Page,
  element: Locator,
  { name, contentType, bytes, signal }: FileToUpload & { readonly signal: AbortSignal },
): Promise<void> {
  const file = { name, mimeType: contentType, buffer: Buffer.from(bytes) };
  const timeout = { timeout: actTimeoutMs, signal };
  if (await element.evaluate(isFileInput, null, timeout)) return element.setInputFiles(file, timeout);
  const opened = page.waitForEvent('filechooser', timeout);
  const [chooser] = await Promise.all([opened, element.click(timeout)]);
  await chooser.setFiles(file, timeout);
}

/** Returns whether an element is a file input. Runs in the page. */
function isFileInput(element: { readonly type?: string; matches(selector: string): boolean }): boolean {
  return element.matches('input[type=file]');
}

/** Text to type and the pages that may receive it. */
interface TextToFill {
  readonly ref: string;
  readonly text: string;
  /** Returns whether a document with this URL may receive the text; null permits every document. */
  readonly isPlace: ((address: string) => boolean) | null;
  readonly signal: AbortSignal;
}

/**
 * Fills an element with a text. Rejects with a {@link TabError} if the element's document may not receive the text.
 * Fills only the checked element, so that a document that replaces it receives nothing.
 */
async function fillByRef(found: Locator, { ref, text, isPlace, signal }: TextToFill): Promise<void> {
  const timeout = { timeout: actTimeoutMs, signal };
  if (isPlace === null) return found.fill(text, timeout);
  const element = await found.elementHandle(timeout);
  const frame = await element?.ownerFrame();
  const address = frame === null || frame === undefined ? '' : frameAddress(frame);
  if (element === null || !isPlace(address)) throw new TabError(notThere(ref, address));
  await element.fill(text, timeout);
}

/** Timeout of an action on an element. It is short, because the agent can take a new snapshot and try again. */
const actTimeoutMs = 5_000;

/**
 * Patterns for Playwright's log of a failed action on an element, the most specific first. The sentence of a pattern
 * explains the failure.
 */
const reasons: readonly (readonly [pattern: RegExp, sentence: string])[] = [
  [/intercepts pointer events/, 'another element covers it'],
  [/element is not enabled/, 'it is disabled'],
  [/element is not editable/, 'it cannot be edited'],
  [/element is not visible/, 'it is not visible'],
  [/element is outside of the viewport/, 'it cannot be scrolled into view'],
  [/element is not stable/, 'it does not stop moving'],
  [/did not find some options/, 'it has no such option'],
  [/element was detached|waiting for locator/, 'it has gone from the page'],
];

/**
 * Performs an action on an element. If the action times out and Playwright's log shows the obstacle, throws an error
 * that names the obstacle.
 */
async function toldWhy<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const reason = error instanceof Error && error.name === 'TimeoutError' ? getReason(error.message) : undefined;
    if (reason === undefined) throw error;
    // The caller adds the name of its step.
    throw new Error(reason, { cause: error });
  }
}

function getReason(message: string): string | undefined {
  return reasons.find(([pattern]) => pattern.test(message))?.[1];
}

/*
 * This function runs in the page: Playwright sends its source text, so it must be self-contained. The interfaces
 * declare the members that it uses.
 */

interface ScrollableElement {
  readonly scrollHeight: number;
  readonly clientHeight: number;
  readonly scrollWidth: number;
  readonly clientWidth: number;
  readonly parentElement: ScrollableElement | null;
  readonly ownerDocument: { readonly scrollingElement: ScrollableElement | null };
  scrollBy(by: { left: number; top: number; behavior: 'instant' }): void;
}

declare function getComputedStyle(element: ScrollableElement): {
  readonly overflowX: string;
  readonly overflowY: string;
};

/** Direction and distance of scrolling. */
interface ScrollWay {
  /** Whether to scroll the page itself instead of a container around the element. */
  readonly isPage: boolean;
  readonly direction: ScrollDirection;
  /** Distance, as a multiple of the height or width of the scrolled container. */
  readonly pages: number;
}

/**
 * Scrolls the element or its nearest ancestor that can scroll in this direction. Scrolls the page if `isPage` is true
 * or no such container exists. Runs in the page.
 */
function scrollBy(element: ScrollableElement, { isPage, direction, pages }: ScrollWay): void {
  const isVertical = direction === 'up' || direction === 'down';
  const canScroll = (one: ScrollableElement): boolean => {
    const { overflowX, overflowY } = getComputedStyle(one);
    const isLonger = isVertical ? one.scrollHeight > one.clientHeight : one.scrollWidth > one.clientWidth;
    return isLonger && /auto|scroll|overlay/.test(isVertical ? overflowY : overflowX);
  };
  let holder: ScrollableElement | null = isPage ? null : element;
  while (holder !== null && !canScroll(holder)) holder = holder.parentElement;
  const scrolled = holder ?? element.ownerDocument.scrollingElement;
  if (scrolled === null) return;
  const by = direction === 'up' || direction === 'left' ? -pages : pages;
  const way = isVertical ? { left: 0, top: by * scrolled.clientHeight } : { left: by * scrolled.clientWidth, top: 0 };
  scrolled.scrollBy({ ...way, behavior: 'instant' });
}
