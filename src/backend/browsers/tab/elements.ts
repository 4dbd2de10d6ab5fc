import type { Locator, Page } from 'playwright-core';
import type { TabElements } from '#backend/agent/tab.ts';
import { actAndSettle } from './act-and-settle.ts';
import { clickOn } from './click-on.ts';
import { fillByRef } from './fill-by-ref.ts';
import { frameAddress } from './frame-address.ts';
import { findByRef } from './find-by-ref.ts';
import type { PageSteps } from './page-steps.ts';
import { readElement } from './read-element.ts';
import { scrollBy } from './scroll-by.ts';
import { ACT_TIMEOUT_MS, toldWhy } from './told-why.ts';
import { uploadByRef } from './upload-by-ref.ts';
import type { DownloadWatch } from '../downloads/index.ts';
import { within } from '../within.ts';

/** A server that answers later than this has not begun to send. */
const DOWNLOAD_BEGINS_MS = 10_000;

/** What elements need from the browser around their page. */
export interface ElementsOptions {
  readonly downloads: Pick<DownloadWatch, 'next'>;
  /** Whether pages of an address may be shown. */
  readonly allows: (address: string) => boolean;
}

const timeout = { timeout: ACT_TIMEOUT_MS };

/** Elements of the page in front by the references of its latest snapshot. */
export function createElements({ onPage, act }: PageSteps, { downloads, allows }: ElementsOptions): TabElements {
  /** An element to act on: one of a frame that may not be shown as a page is looked at only, since it would take what it is given away. */
  const toActOn = async (page: Page, ref: string): Promise<Locator> => {
    const found = await findByRef(page, ref);
    const element = await found.elementHandle(timeout);
    const frame = (await element?.ownerFrame()) ?? null;
    if (frame === null || frame === page.mainFrame() || allows(frameAddress(frame))) return found;
    throw new Error(
      `it is in a frame of ${URL.parse(frame.url())?.host ?? ''}, which is not one of the allowed domains`,
    );
  };
  const acting = (what: string, step: (page: Page) => Promise<void>): Promise<void> =>
    act(what, (page, refused) => actAndSettle(page, refused, () => toldWhy(() => step(page))));
  return {
    click: (ref, count = 1) =>
      acting(`Could not click ${ref}`, async (page) =>
        clickOn(page, await toActOn(page, ref), { ...timeout, clickCount: count }),
      ),
    hover: (ref) => acting(`Could not point at ${ref}`, async (page) => (await toActOn(page, ref)).hover(timeout)),
    type: (ref, text, isPlace) =>
      acting(`Could not type into ${ref}`, async (page) =>
        fillByRef(await toActOn(page, ref), { ref, text, isPlace: isPlace ?? null }),
      ),
    select: (ref, options) =>
      acting(`Could not select in ${ref}`, async (page) => {
        await (await toActOn(page, ref)).selectOption([...options], timeout);
      }),
    check: (ref, isChecked) =>
      acting(`Could not ${isChecked ? 'check' : 'uncheck'} ${ref}`, async (page) =>
        (await toActOn(page, ref)).setChecked(isChecked, timeout),
      ),
    press: (ref, key) =>
      acting(`Could not press ${key}`, async (page) => (await toActOn(page, ref)).press(key, timeout)),
    scroll: (ref, direction, pages) =>
      acting('Could not scroll', async (page) => {
        const inside = ref === null ? page.locator(':root') : await toActOn(page, ref);
        await inside.evaluate(scrollBy, { isPage: ref === null, direction, pages }, timeout);
      }),
    text: (ref) =>
      onPage(`Could not read ${ref}`, async (page) =>
        (await findByRef(page, ref)).evaluate(readElement, null, timeout),
      ),
    upload: (ref, file) =>
      acting(`Could not put the file into ${ref}`, async (page) => uploadByRef(page, await toActOn(page, ref), file)),
    async download(ref) {
      const what = `Could not download ${ref}`;
      const next = downloads.next();
      try {
        await act(what, async (page) => {
          const element = await toActOn(page, ref);
          await toldWhy(() => element.click(timeout));
          await within(DOWNLOAD_BEGINS_MS, next.begun, 'no download began');
        });
        return await next.begun;
      } finally {
        next.stop();
      }
    },
  };
}
