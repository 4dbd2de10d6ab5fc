import type { Page } from 'playwright-core';
import type { TabElements } from '#backend/agent/tab.ts';
import { actAndSettle } from './act-and-settle.ts';
import { fillByRef } from './fill-by-ref.ts';
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
const timeout = { timeout: ACT_TIMEOUT_MS };

/** Elements of the page in front by the references of its latest snapshot. */
export function createElements({ onPage, act }: PageSteps, downloads: Pick<DownloadWatch, 'next'>): TabElements {
  const acting = (what: string, step: (page: Page) => Promise<void>): Promise<void> =>
    act(what, (page, refused) => actAndSettle(page, refused, () => toldWhy(() => step(page))));
  return {
    click: (ref, count = 1) =>
      acting(`Could not click ${ref}`, async (page) =>
        (await findByRef(page, ref)).click({ ...timeout, clickCount: count }),
      ),
    hover: (ref) => acting(`Could not point at ${ref}`, async (page) => (await findByRef(page, ref)).hover(timeout)),
    type: (ref, text, isPlace) =>
      acting(`Could not type into ${ref}`, async (page) =>
        fillByRef(await findByRef(page, ref), { ref, text, isPlace: isPlace ?? null }),
      ),
    select: (ref, options) =>
      acting(`Could not select in ${ref}`, async (page) => {
        await (await findByRef(page, ref)).selectOption([...options], timeout);
      }),
    check: (ref, isChecked) =>
      acting(`Could not ${isChecked ? 'check' : 'uncheck'} ${ref}`, async (page) =>
        (await findByRef(page, ref)).setChecked(isChecked, timeout),
      ),
    press: (ref, key) =>
      acting(`Could not press ${key}`, async (page) => (await findByRef(page, ref)).press(key, timeout)),
    scroll: (ref, direction, pages) =>
      acting('Could not scroll', async (page) => {
        const inside = ref === null ? page.locator(':root') : await findByRef(page, ref);
        await inside.evaluate(scrollBy, { isPage: ref === null, direction, pages }, timeout);
      }),
    text: (ref) =>
      onPage(`Could not read ${ref}`, async (page) =>
        (await findByRef(page, ref)).evaluate(readElement, null, timeout),
      ),
    upload: (ref, file) =>
      acting(`Could not put the file into ${ref}`, async (page) => uploadByRef(page, await findByRef(page, ref), file)),
    async download(ref) {
      const what = `Could not download ${ref}`;
      const next = downloads.next();
      try {
        await act(what, async (page) => {
          const element = await findByRef(page, ref);
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
