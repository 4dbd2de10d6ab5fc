import { nodesIn, type PageNode, textOf } from '../page/page-node.ts';
import { readTables, type ShownTable } from '../page/read-tables.ts';
import { type TableAnswer, tableAnswer } from '../page/table-answer.ts';
import { wordsOf } from '../page/words.ts';
import { pressNode } from './press.ts';
import type { Walker } from './walker.ts';

const PAGES_MAX = 20;
const NEXT = /^(?:next|next page|older)\b/i;
const BEFORE = /^(?:previous|prev|back|newer)\b/i;

/** Asks the only table of the page, all of its pages read first; null when it does not answer. */
export async function askTable(walker: Walker, question: string): Promise<TableAnswer | null> {
  const shown = walker.page();
  const known = wordsOf(
    [
      walker.title(),
      ...nodesIn(shown)
        .filter(({ role }) => role === 'heading' || role === 'paragraph')
        .map(textOf),
    ].join(' '),
  );
  const order = orderOf(textOf(shown));
  const table = await wholeTable(walker);
  return table === null ? null : tableAnswer(table, { text: question, known, order });
}

function orderOf(text: string): 'newest first' | 'oldest first' | null {
  if (/\b(?:newest|latest|most recent)\b[\w ]{0,30}\bfirst\b/i.test(text)) return 'newest first';
  return /\boldest\b[\w ]{0,30}\bfirst\b/i.test(text) ? 'oldest first' : null;
}

/** The only table with a head, with the rows of all pages that it goes over; null when it cannot be read from its beginning. */
async function wholeTable(walker: Walker): Promise<ShownTable | null> {
  if (leading(walker.page(), BEFORE) !== undefined) return null;
  const first = onlyTable(walker.page());
  if (first === null) return null;
  const rows = [...first.rows];
  for (let pages = 1; pages < PAGES_MAX; pages += 1) {
    const next = leading(walker.page(), NEXT);
    if (next === undefined) return { header: first.header, rows };
    await pressNode(walker, next);
    const table = onlyTable(walker.page());
    if (table === null) return null;
    rows.push(...table.rows);
  }
  return null;
}

function onlyTable(page: PageNode): ShownTable | null {
  const [table, ...others] = readTables(page).filter(({ header }) => header.length > 0);
  return table === undefined || others.length > 0 ? null : table;
}

function leading(page: PageNode, name: RegExp): PageNode | undefined {
  return nodesIn(page).find(
    (node) => (node.role === 'link' || node.role === 'button') && name.test(node.name) && !node.flags.has('disabled'),
  );
}
