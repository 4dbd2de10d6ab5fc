import type { RequirementId } from '#generated/requirements.ts';
import { type Check, type CheckContext, check } from '../../core/check.ts';
import { type Exchange, describeAnswer, refused, succeeded } from '../../core/exchange.ts';
import { memberAt } from '../../core/json.ts';
import { findRepeated, listItems, readNextCursor } from '../../common/followed-pages.ts';
import { idsOn, isStill, type PagedList, pagedLists } from './scenarios.ts';
import { type ChangedList, pagedStorage } from './scenarios-storage.ts';
import { show } from '../../core/text.ts';

type Judge = (t: CheckContext, paged: PagedList) => void;

/** Checks that hold for every paginated list. */
export const pageChecks: readonly Check[] = [
  ...both('PAGES-01', 'PAGES-11', complete),
  ...both('PAGES-02', 'PAGES-12', ordered),
  ...both('PAGES-03', 'PAGES-13', sized),
  ...both('PAGES-04', 'PAGES-14', counted),
  ...both('PAGES-05', 'PAGES-15', ended),
  ...both('PAGES-06', 'PAGES-16', robust),
  check('PAGES-07', { needs: [pagedStorage], phase: 'quiet' }, async (t) => {
    const { exchanged } = await t.recording(pagedStorage);
    for (const { exchange, foreign } of exchanged) {
      if (exchange.status === 0) continue;
      const shown = listItems(exchange, 'files').map((file) => memberAt(file, 'path'));
      const found = foreign.find((path) => shown.includes(path));
      const message = `${formatOperation(exchange)} with the cursor of another list ${describeAnswer(exchange)} and shows ${show(found)} of that list; expected a refusal or items of its own list`;
      t.expect(found === undefined && exchange.status < 500, { cell: formatOperation(exchange), exchange, message });
    }
  }),
  check('PAGES-08', { needs: [pagedStorage], phase: 'quiet' }, (t) => unmoved(t, 'insert')),
  check('PAGES-09', { needs: [pagedStorage], phase: 'quiet' }, (t) => unmoved(t, 'delete')),
];

function both(stored: RequirementId, standing: RequirementId, judge: Judge): Check[] {
  return [
    check(stored, { needs: [pagedStorage], phase: 'quiet' }, async (t) => {
      for (const paged of (await t.recording(pagedStorage)).lists) judge(t, paged);
    }),
    check(standing, { needs: [pagedLists], phase: 'quiet' }, async (t) => {
      for (const paged of await t.recording(pagedLists)) judge(t, paged);
    }),
  ];
}

/**
 * Judges that the small pages hold all items of the large pages, each once. An empty list is not judged, and neither is
 * a list that other clients keep changing.
 */
function complete(t: CheckContext, paged: PagedList): void {
  const { list, whole, small } = paged;
  const [exchange] = small;
  if (!isStill(paged) || exchange === undefined) return;
  const [want, shown] = [idsOn(list, whole), idsOn(list, small)];
  if (want.length === 0 && shown.length === 0) return;
  const lost = want.find((id) => !shown.includes(id));
  const repeated = findRepeated(shown);
  const cell = list.operation.key;
  const what = lost === undefined ? `repeat ${show(repeated)}` : `lose ${show(lost)}`;
  const message = `pages of ${paged.size} of ${cell} ${what} among the ${want.length} items of large pages; expected each item once`;
  t.expect(lost === undefined && repeated === undefined, { cell, exchange, message });
  const repeatedInLarge = findRepeated(want);
  const large = `large pages of ${cell} repeat ${show(repeatedInLarge)} among their ${want.length} items; expected each item once`;
  t.expect(repeatedInLarge === undefined, { cell, exchange: whole[0], message: large });
}

/**
 * Judges that the small pages are consecutive sections of the order of the large pages, all forwards or all backwards.
 * The order within a page may be reversed. A list with fewer than two items has no order.
 */
function ordered(t: CheckContext, paged: PagedList): void {
  const { list, whole, small } = paged;
  if (!isStill(paged) || small.length === 0) return;
  const order = idsOn(list, whole);
  if (order.length < 2) return;
  // A small page after the end of the large pages may show items that no large page held.
  const known = small.map((page) => idsOn(list, [page]).filter((id) => order.includes(id)));
  const ranks = known.map((ids) => ids.map((id) => order.indexOf(id)));
  const held = ranks.filter((page) => page.length > 0);
  const lows = held.map((page) => Math.min(...page));
  // A page that starts inside the range of another page holds items of that page.
  const apart = held.every((page, index) =>
    lows.every((low, other) => other === index || low < (lows[index] ?? 0) || low > Math.max(...page)),
  );
  const cell = list.operation.key;
  const message = `pages of ${paged.size} of ${cell} show the items of large pages in the order ${show(ranks)}; expected one direction without gaps`;
  t.expect(apart && runOneWay(held) && runOneWay([lows]), { cell, exchange: small[0], message });
}

/** Returns true if the numbers rise within every list, or if they fall within every list. */
function runOneWay(ranks: readonly (readonly number[])[]): boolean {
  return [1, -1].some((sign) =>
    ranks.every((page) => page.every((rank, index) => index === 0 || (rank - (page[index - 1] ?? 0)) * sign > 0)),
  );
}

/**
 * Judges that no page exceeds the requested size. If the list has not changed between the reads, numbered pages must be
 * full, except the last one.
 */
function sized(t: CheckContext, paged: PagedList): void {
  const { list, small, size, whole } = paged;
  const count = idsOn(list, whole).length;
  for (const [index, page] of small.entries()) {
    const held = listItems(page, list.items).length;
    const full = list.paging.style === 'number' && isStill(paged) && (index + 1) * size <= count;
    const cell = list.operation.key;
    const message = `page ${index + 1} of ${cell} holds ${held} of ${count} items; expected ${full ? '' : 'at most '}${size}`;
    t.expect(succeeded(page) && held <= size && (!full || held === size), { cell, exchange: page, message });
  }
}

/**
 * Judges that every page of a numbered list states the number of items as its total. If the list is longer than the
 * large pages, the total must be at least the number of items read. A list that has changed between the reads is not
 * judged.
 */
function counted(t: CheckContext, paged: PagedList): void {
  const { list, whole, small, isWhole } = paged;
  if (list.paging.style !== 'number' || !isStill(paged)) return;
  const count = idsOn(list, whole).length;
  for (const page of [...whole, ...small]) {
    const total = memberAt(page.json, list.paging.total);
    const cell = list.operation.key;
    const message = `${list.paging.total} of a page of ${cell} is ${show(total)}; expected ${isWhole ? '' : 'at least '}${count}, the number of items on its pages`;
    t.expect(isWhole ? total === count : typeof total === 'number' && total >= count, {
      cell,
      exchange: page,
      message,
    });
  }
}

/**
 * Judges the end of a list. In a numbered list, the page after the last page is empty. In a list with cursors, only the
 * last page names no next cursor.
 */
function ended(t: CheckContext, paged: PagedList): void {
  const { list, small, whole, size, isWhole } = paged;
  const count = idsOn(list, whole).length;
  if (!isStill(paged) || !isWhole) return;
  for (const [index, page] of small.entries()) {
    const cell = list.operation.key;
    const held = listItems(page, list.items).length;
    if (list.paging.style === 'number') {
      if (index * size < count) continue;
      const message = `page ${index + 1} of ${cell}, behind the ${count} items, holds ${held}; expected none`;
      t.expect(succeeded(page) && held === 0, { cell, exchange: page, message });
      continue;
    }
    const more = memberAt(page.json, 'hasMore') ?? false;
    const next = readNextCursor(page) !== undefined;
    const seen = idsOn(list, small.slice(0, index + 1)).length;
    const message = `page ${index + 1} of ${cell} says hasMore ${show(more)} and ${next ? 'names' : 'names no'} next page when ${seen} of ${count} items are shown; expected both until the last item is shown`;
    t.expect(more === next && (seen >= count || next), { cell, exchange: page, message });
  }
}

/** Judges that an invalid cursor or page number is refused or shows a page, without a server error. */
function robust(t: CheckContext, { list, strange }: PagedList): void {
  for (const { what, exchange } of strange) {
    const cell = list.operation.key;
    const message = `${cell} with ${what} ${describeAnswer(exchange)}; expected a refusal (4xx) or a page`;
    t.expect(refused(exchange) || succeeded(exchange), { cell, exchange, message });
  }
}

/**
 * Judges that a list which changes while its pages are read loses and repeats no item that was in it all the time. A list
 * that fits on its first page is not judged: no page was read after the change.
 */
async function unmoved(t: CheckContext, change: ChangedList['change']): Promise<void> {
  const { changed } = await t.recording(pagedStorage);
  for (const { list, before, after, pages } of changed.filter((item) => item.change === change)) {
    if (before.length === 0 || pages.length < 2) continue;
    const shown = idsOn(list, pages);
    const lost = before.find((id) => after.includes(id) && !shown.includes(id));
    const repeated = findRepeated(shown);
    const cell = list.operation.key;
    const what = change === 'insert' ? 'files were stored' : 'a file that was shown was removed';
    const fault = lost === undefined ? `repeat ${show(repeated)}` : `lose ${show(lost)}`;
    const message = `${cell}: while ${what}, pages of two ${fault}; expected each item once`;
    t.expect(lost === undefined && repeated === undefined, { cell, exchange: pages.at(-1), message });
  }
}

function formatOperation({ generation, operation }: Exchange): string {
  return `${generation}.${operation}`;
}
