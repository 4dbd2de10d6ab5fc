/** Pages of lists: by number, and by cursor. */
import type { FaultId } from '../faults/index.ts';
import { refuse, type Answer, type Call } from './call.ts';
import type { Json } from './world.ts';

interface Listing<T> {
  readonly all: readonly T[];
  readonly query: Json;
  readonly show: (item: T) => Json;
}

interface Page {
  readonly items: Json[];
  readonly all: readonly Json[];
  total: number;
  number: number;
  size: number;
}

const pageFaults: Partial<Record<FaultId, (page: Page) => void>> = {
  'page-total-off': (page) => void (page.total += 1),
  'page-total-of-page': (page) => void (page.total = page.items.length),
  'page-repeats': (page) => void page.items.push(...page.items.slice(0, 1)),
  'page-skips': (page) => void page.items.shift(),
  'page-number-ignored': (page) => void page.items.splice(0, Infinity, ...page.all.slice(0, page.items.length)),
  'pl-page-two-skips': (page) => {
    const from = (page.number - 1) * page.size + 1;
    if (page.number > 1) page.items.splice(0, Infinity, ...page.all.slice(from, from + page.size));
  },
  'pl-page-two-overlaps': (page) => {
    const from = (page.number - 1) * page.size - 1;
    if (page.number > 1) page.items.splice(0, Infinity, ...page.all.slice(from, from + page.size));
  },
  'pl-page-beyond-repeats': (page) => {
    if (page.items.length === 0) page.items.push(...page.all.slice(-page.size));
  },
  'pl-page-size-echo-ten': (page) => void (page.size = 10),
  'pl-page-number-from-zero': (page) => void (page.number -= 1),
};

/** Returns one page of a list by its number, with the total number of items; 10 items per page by default. */
export function pageAnswer<T>(call: Call, listing: Listing<T>): Answer {
  const size = Number(listing.query['pageSize'] ?? 10);
  const number = Number(listing.query['pageNumber'] ?? 1);
  const all = listing.all.map((item) => listing.show(item));
  const isIgnored = listing.query['pageSize'] !== undefined && call.world.faults.has('page-size-ignored');
  const page: Page = {
    items: isIgnored ? [...all] : all.slice((number - 1) * size, number * size),
    all,
    total: all.length,
    number,
    size,
  };
  call.world.faults.distort(pageFaults, page);
  return {
    status: 200,
    body: { items: page.items, totalItems: page.total, pageNumber: page.number, pageSize: page.size },
  };
}

/**
 * Returns one page of a list; `nextCursor` is null on the last page. The cursor contains an offset; a malformed cursor
 * is refused with 400.
 */
export function cursorPage<T>(
  call: Call,
  all: readonly T[],
  { cursor, limit }: { cursor: string | null; limit: number },
): { items: T[]; nextCursor: string | null } {
  const from = cursor === null ? 0 : Number(/^c(\d+)$/.exec(cursor)?.[1] ?? Number.NaN);
  if (Number.isNaN(from)) refuse(call.world, 400, 'Malformed cursor');
  const items = all.slice(from, from + limit);
  return { items, nextCursor: from + limit < all.length ? `c${from + limit}` : null };
}
