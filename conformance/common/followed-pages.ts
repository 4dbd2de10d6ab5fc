import type { Exchange } from '../core/exchange.ts';
import { type JsonObject, type JsonValue, isJsonObject, memberAt } from '../core/json.ts';

/** Maximum number of pages of one reader: a list without an end must not block the suite. */
const pagesMax = 200;

/** Reads page after page until `next` names no further one; at most 200. */
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

/** The objects of the list at a member of a page; empty where there is no list. */
export function itemsOf(page: Exchange | undefined, member: string): JsonObject[] {
  const items = memberAt(page?.json, member);
  return Array.isArray(items) ? items.filter(isJsonObject) : [];
}

/** The objects of the lists of all pages, in order. */
export function itemsOfAll(pages: readonly Exchange[], member: string): JsonObject[] {
  return pages.flatMap((page) => itemsOf(page, member));
}

/** The next cursor of a page as text; undefined where it is null or missing. */
export function nextCursorOf(page: Exchange): string | undefined {
  const cursor: JsonValue | undefined = memberAt(page.json, 'nextCursor');
  return typeof cursor === 'string' ? cursor : undefined;
}
