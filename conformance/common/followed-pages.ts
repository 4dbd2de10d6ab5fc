import type { Exchange } from '../core/exchange.ts';
import { type JsonObject, type JsonValue, isJsonObject, memberAt } from '../core/json.ts';

/** Maximum number of pages of one reader: an endless list must not block the suite. */
const pagesMax = 200;

/**
 * Reads pages until `next` returns undefined, at most `pagesMax` pages, and returns them. `next` gets the newest page
 * and all pages so far, and returns the cursor of the next page.
 */
export async function followPages<C>(
  read: (cursor: C | undefined) => Promise<Exchange>,
  next: (page: Exchange, pages: readonly Exchange[]) => C | undefined,
): Promise<Exchange[]> {
  const pages: Exchange[] = [];
  let cursor: C | undefined;
  do {
    const page = await read(cursor);
    pages.push(page);
    cursor = next(page, pages);
  } while (cursor !== undefined && pages.length < pagesMax);
  return pages;
}

/** Returns the objects in the list at member `member` of a page; empty without a list. */
export function listItems(page: Exchange | undefined, member: string): JsonObject[] {
  const items = memberAt(page?.json, member);
  return Array.isArray(items) ? items.filter(isJsonObject) : [];
}

/** Returns the objects of the lists of all pages, in order. */
export function listAllItems(pages: readonly Exchange[], member: string): JsonObject[] {
  return pages.flatMap((page) => listItems(page, member));
}

/** Returns the next cursor of a page if it is a text; undefined otherwise. */
export function readNextCursor(page: Exchange): string | undefined {
  const cursor: JsonValue | undefined = memberAt(page.json, 'nextCursor');
  return typeof cursor === 'string' ? cursor : undefined;
}

/** Returns the first value that a list contains more than once; undefined without such a value. */
export function findRepeated<T>(values: readonly T[]): T | undefined {
  return values.find((value, index) => values.indexOf(value) !== index);
}
