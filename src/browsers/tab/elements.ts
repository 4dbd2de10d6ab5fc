import type { Locator, Page } from 'playwright-core';
import type { TabElements } from './tab.ts';
import { actAndSettle } from './act-and-settle.ts';
import { clickOn } from './click-on.ts';
import { downloadBegun } from './download-begun.ts';
import { fillByRef } from './fill-by-ref.ts';
import { frameAddress } from './frame-address.ts';
import { findByRef } from './find-by-ref.ts';
import type { PageSteps } from './page-steps.ts';
import { readElement } from './read-element.ts';
import { scrollBy } from './scroll-by.ts';
import { ACT_TIMEOUT_MS, toldWhy } from './told-why.ts';
import { uploadByRef } from './upload-by-ref.ts';
import type { DownloadWatch } from '../downloads/index.ts';

/** What elements need from the browser around their page. */
export interface ElementsOptions {
  readonly downloads: Pick<DownloadWatch, 'next'>;
  /** Whether pages of an address may be shown. */
  readonly allows: (address: string) => boolean;
}

/** Elements of the page in front by the references of its latest snapshot. */
export function createElements({ onPage, act }: PageSteps, { downloads, allows }: ElementsOptions): TabElements {
  /** An element to act on: one of a frame that may not be shown as a page is looked at only, since it would take what it is given away. */
  const toActOn = async (page: Page, ref: string, timeout: ActTime): Promise<Locator> => {
    const found = await findByRef(page, ref);
    const element = await found.elementHandle(timeout);
    const frame = (await element?.ownerFrame()) ?? null;
    if (frame === null || frame === page.mainFrame() || allows(frameAddress(frame))) return found;
    throw new Error(
      `it is in a frame of ${URL.parse(frame.url())?.host ?? ''}, which is not one of the allowed domains`,
    );
  };
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
        // Not to be cancelled between down and up: the next task would find the key pressed.
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

/** How long an element is waited for, and what ends that early. */
interface ActTime {
  readonly timeout: number;
  readonly signal: AbortSignal;
}

function actTime(signal: AbortSignal): ActTime {
  return { timeout: ACT_TIMEOUT_MS, signal };
}
