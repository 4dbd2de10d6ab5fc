import { fitting } from '../page/controls.ts';
import { nodesIn, type PageNode } from '../page/page-node.ts';
import { readTables } from '../page/read-tables.ts';
import { valueOf } from '../page/value-of.ts';
import { wordsOf } from '../page/words.ts';
import { shortened } from '../shortened.ts';
import { pick } from './pick.ts';
import { pressNode } from './press.ts';
import { cannot, type Walker } from './walker.ts';

/** Presses the head of a column until the table is in the order that was asked for. */
export async function sortTable(walker: Walker, column: string, order: 'rising' | 'falling'): Promise<void> {
  for (let presses = 0; presses < 3; presses += 1) {
    const head = findHead(walker, column);
    if (head === null) throw cannot(`There is no column "${shortened(column)}" that can be sorted.`);
    await pressNode(walker, head);
    if (isSorted(walker.page(), column, order)) return;
  }
  throw cannot(`The table did not come to be sorted by "${shortened(column)}".`);
}

function findHead(walker: Walker, column: string): PageNode | null {
  const head = pick(
    walker,
    fitting(walker.page(), { words: wordsOf(column), roles: ['columnheader'], useContext: false }),
    column,
  );
  if (head === null) return null;
  return nodesIn(head).find(({ role }) => role === 'button' || role === 'link') ?? head;
}

function isSorted(page: PageNode, column: string, order: 'rising' | 'falling'): boolean {
  const words = wordsOf(column);
  const table = readTables(page).find(({ header }) =>
    header.some((name) => words.every((word) => wordsOf(name).includes(word))),
  );
  const at = table?.header.findIndex((name) => words.every((word) => wordsOf(name).includes(word))) ?? -1;
  const values = table?.rows.map((row) => valueOf(row[at] ?? '')) ?? [];
  return values.every((value, index) => {
    const before = values[index - 1];
    if (before === undefined) return true;
    const step =
      typeof value === 'number' && typeof before === 'number'
        ? value - before
        : String(value).localeCompare(String(before));
    return order === 'rising' ? step >= 0 : step <= 0;
  });
}
