import type { Exchange } from '../../core/exchange.ts';
import { type ListOperation, listOperations } from '../../core/list-operations.ts';
import { memberAt } from '../../core/json.ts';
import type { OperationKey } from '../../core/operations.ts';
import type { Drive } from '../../core/scenario.ts';
import { followPages, itemsOf, nextCursorOf } from '../common/followed-pages.ts';

/** One list as another project is shown it. */
export interface ForeignList {
  list: ListOperation;
  /** Small pages from the start, more of them than there may be: what leaks may stand on one of them alone. */
  small: Exchange[];
  /** Large pages to the end. */
  whole: Exchange[];
}

/** Items of a small page, and small pages that are read. */
const [smallSize, smallPages] = [2, 4];
const largeSize = 100;
/** Large pages at most. */
const largePages = 20;
/** Whoever else uses the other project changes its lists. */
const tries = 3;

/** Reads lists with the key of the other project, to their end. */
export async function readForeignLists(drive: Drive, keys: readonly OperationKey[]): Promise<ForeignList[]> {
  const lists: ForeignList[] = [];
  for (const list of listOperations.filter(({ operation }) => keys.includes(operation.key))) {
    if (drive.operations.offers(list.operation.key)) lists.push(await readTwice(drive, list));
  }
  return lists;
}

async function readTwice(drive: Drive, list: ListOperation): Promise<ForeignList> {
  const small = await readPages(drive, list, { size: smallSize, most: smallPages, beyond: true });
  let whole: Exchange[] = [];
  for (let tried = 0; tried < tries && (tried === 0 || !isCounted({ list, whole })); tried += 1) {
    whole = await readPages(drive, list, { size: largeSize, most: largePages, beyond: false });
  }
  return { list, small, whole };
}

/** True when the total of a list is the number of its items, or when it says none; also where not all was read. */
export function isCounted({ list, whole }: Pick<ForeignList, 'list' | 'whole'>): boolean {
  if (list.paging.style !== 'number' || whole.length === largePages) return true;
  const { total } = list.paging;
  const count = whole.flatMap((page) => itemsOf(page, list.items)).length;
  return whole.every((page) => memberAt(page.json, total) === count);
}

interface Reading {
  size: number;
  most: number;
  /** True when pages behind the last are asked for too. */
  beyond: boolean;
}

function readPages(drive: Drive, list: ListOperation, { size, most, beyond }: Reading): Promise<Exchange[]> {
  const { operation, paging, items } = list;
  const key = { other: drive.otherApiKey ?? '' };
  const read = (query: Record<string, string | number>): Promise<Exchange> =>
    drive.operations.call(operation.key, { query, key });
  if (paging.style === 'number') {
    return followPages(
      (page: number | undefined) => read({ [paging.page]: page ?? 1, [paging.size]: size }),
      (page, pages) => {
        const ended = !beyond && itemsOf(page, items).length < size;
        return ended || pages.length >= most ? undefined : pages.length + 1;
      },
    );
  }
  return followPages(
    (cursor: string | undefined) => read({ limit: size, ...(cursor === undefined ? {} : { cursor }) }),
    (page, pages) => (pages.length >= most ? undefined : nextCursorOf(page)),
  );
}
