import { type Exchange, succeeded } from '../../core/exchange.ts';
import { memberAt, toText } from '../../core/json.ts';
import { type ListOperation, listOperations } from '../../core/list-operations.ts';
import type { Call } from '../../core/apis.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { followPages, listItems, readNextCursor } from '../../common/followed-pages.ts';
import { notOffered, type OperationKey } from '../../core/operations.ts';

/** One list, read with a large page size, then with a small one, then with the large one again. */
export interface PagedList {
  list: ListOperation;
  /**
   * Large pages that were read before the small pages; `later` holds the large pages that were read after them. An item
   * of both reads was in the list all the time.
   */
  whole: Exchange[];
  later: Exchange[];
  /** True when the large pages hold all items of the list. */
  isWhole: boolean;
  /**
   * Requested size of a small page. `small` holds the small pages that cover the items of the large pages, and one
   * further page. In a list with cursors, the further page exists only if a cursor leads to it.
   */
  size: number;
  small: Exchange[];
  /** Answers to invalid cursors and page numbers. */
  strange: { what: string; exchange: Exchange }[];
}

/** A list to read, with its path parameters and filter. */
export interface ListPlace {
  list: ListOperation;
  path?: readonly string[];
  /** Query members that exclude the items of other clients. */
  filter?: Readonly<Record<string, string>>;
}

const largeSize = 100;
/** Maximum number of large pages: an account may have more items than a run should read. */
const largePages = 2;
/** Maximum number of small pages that the items of the large pages are split into. */
const parts = 5;
/**
 * Maximum number of reads of a list on large and small pages. Other clients of the account may change the list during a
 * read.
 */
const tries = 3;

/** Reads a list on large and on small pages, and with invalid cursors and page numbers. */
export async function readPaged(context: ScenarioContext, place: ListPlace): Promise<PagedList> {
  let seen = await readOnce(context, place);
  for (let tried = 1; tried < tries && !isStill(seen); tried += 1) seen = await readOnce(context, place);
  return { ...seen, strange: await askStrange(context, place) };
}

/** Returns the ids of the items on the given pages, in order. */
export function idsOn({ items, id }: ListOperation, pages: readonly Exchange[]): string[] {
  return pages.flatMap((page) => listItems(page, items).map((item) => toText(memberAt(item, id))));
}

/**
 * Returns true when the reads with a large page size before and after the small pages succeeded and returned the same
 * items.
 */
export function isStill({ list, whole, later }: Pick<PagedList, 'list' | 'whole' | 'later'>): boolean {
  const ids = (pages: readonly Exchange[]): string => JSON.stringify(idsOn(list, pages).toSorted());
  return ids(whole) === ids(later) && [...whole, ...later].every((page) => succeeded(page));
}

async function readOnce(context: ScenarioContext, place: ListPlace): Promise<Omit<PagedList, 'strange'>> {
  const { list } = place;
  const whole = await readPages(context, place, { size: largeSize, most: largePages });
  const count = idsOn(list, whole).length;
  const size = Math.max(1, Math.ceil(count / parts));
  const beyond = list.paging.style === 'number' ? 1 : 0;
  const small = await readPages(context, place, { size, most: Math.ceil(count / size) + beyond, count });
  const later = await readPages(context, place, { size: largeSize, most: largePages });
  return { list, whole, later, size, small, isWhole: count < largeSize * largePages };
}

interface Reading {
  size: number;
  /** Maximum number of pages; a list with cursors is read one page further. */
  most: number;
  /**
   * Number of items in the list. If it is known, numbered pages are read up to `most`, even after a page that is not
   * full. @defaultValue unknown
   */
  count?: number;
}

/** Reads pages of a list from its start: at most `most` pages, and one page more in a list with cursors. */
export function readPages(
  context: ScenarioContext,
  { list, path = [], filter = {} }: ListPlace,
  reading: Reading,
): Promise<Exchange[]> {
  const { size, most, count } = reading;
  const { operation, paging, items } = list;
  const read = (query: Call['query']): Promise<Exchange> =>
    context.operations.call(operation.key, { path, query: { ...filter, ...query } });
  if (paging.style === 'number') {
    return followPages(
      (page: number | undefined) => read({ [paging.page]: page ?? 1, [paging.size]: size }),
      (page, pages) => {
        const ended = count === undefined && listItems(page, items).length < size;
        return ended || pages.length >= most ? undefined : pages.length + 1;
      },
    );
  }
  return followPages(
    (cursor: string | undefined) => read({ limit: size, ...(cursor === undefined ? {} : { cursor }) }),
    // Reads one page more than expected, which shows repeated items of a cursor.
    (page, pages) => (pages.length > most ? undefined : readNextCursor(page)),
  );
}

async function askStrange(
  context: ScenarioContext,
  { list, path = [], filter = {} }: ListPlace,
): Promise<PagedList['strange']> {
  const { operation, paging } = list;
  const queries: readonly [string, Record<string, string | number>][] =
    paging.style === 'number'
      ? [['a page far behind the last', { [paging.page]: 1_000_000 }]]
      : ['svc-check-no-cursor', 'eyJpZCI6IjAifQ==', '%00', '-1'].map((cursor) => [`the cursor ${cursor}`, { cursor }]);
  const strange: PagedList['strange'] = [];
  for (const [what, query] of queries) {
    strange.push({
      what,
      exchange: await context.operations.call(operation.key, { path, query: { ...filter, ...query } }),
    });
  }
  return strange;
}

/** Lists of resources that cost money. The suite reads their existing items and creates none for this purpose. */
export const standingKeys: readonly OperationKey[] = [
  'v2.listSessions',
  'v2.listTasks',
  'v3.listSessions',
  'v4.listRuns',
  'v4.listSessions',
  'v4.listBrowsers',
];

/** List operations that this area does not read page by page, each with the reason. */
export const otherLists: Readonly<Record<string, string>> = {
  'v3.listMessages': 'read from a message that is known: V3-MSG-02 and on',
  'v4.listRunEvents': 'read behind an event that is known: EVT-10 to EVT-14',
  'v4.listAttachments': 'has no pages',
  'v4.listMessages': 'has no pages',
  'v4.listBrowserDownloads': 'only a browser that has downloaded several files has pages',
};

/** Reads the lists of sessions, tasks, runs and browsers with their existing items. Creates nothing. */
export const pagedLists: Scenario<PagedList[]> = {
  name: 'paged-lists',
  creates: 'nothing: lists are read page by page',
  spend: 'none',
  dispatches: 0,
  stateful: true,
  unavailable: (target) => notOffered(target, []),
  run: async (context) => {
    const lists: PagedList[] = [];
    for (const key of standingKeys) {
      if (context.operations.offers(key)) lists.push(await readPaged(context, { list: getListOperation(key) }));
    }
    return lists;
  },
};

/** Returns the list operation of a key. Throws for the key of another operation. */
export function getListOperation(key: OperationKey): ListOperation {
  const found = listOperations.find(({ operation }) => operation.key === key);
  if (found === undefined) throw new Error(`${key} is no list`);
  return found;
}
