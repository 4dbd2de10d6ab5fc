import type { Locator, Page } from 'playwright-core';
import { TabError } from './tab.ts';

/** The element of a reference of the page's latest snapshot; throws a {@link TabError} when there is none, without waiting for one. */
export async function findByRef(page: Page, ref: string): Promise<Locator> {
  const found = /^(f\d+)?e\d+$/.test(ref) ? await countOf(page, ref) : 0;
  if (found === 0)
    throw new TabError(`There is no element ${ref} on the page any more. Use a reference of its latest snapshot.`);
  return page.getByRef(ref);
}

async function countOf(page: Page, ref: string): Promise<number> {
  try {
    return await page.getByRef(ref).count();
  } catch (error) {
    // A frame that is not there any more cannot be searched.
    if (error instanceof Error && /frame|Frame|snapshot/.test(error.message)) return 0;
    throw error;
  }
}
