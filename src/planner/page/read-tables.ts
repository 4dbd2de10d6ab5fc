import { nodesIn, type PageNode, textOf } from './page-node.ts';

/** A table of a page: its head is empty when it has none. */
export interface ShownTable {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The tables of a page in its order. */
export function readTables(page: PageNode): ShownTable[] {
  return nodesIn(page)
    .filter(({ role }) => role === 'table' || role === 'grid' || role === 'treegrid')
    .map((table) => {
      const rows = nodesIn(table).filter(({ role }) => role === 'row');
      const isHead = (row: PageNode): boolean =>
        row.children.length > 0 && row.children.every(({ role }) => role === 'columnheader') && row.children.length > 1;
      const [head] = rows.filter(isHead);
      return {
        header: head === rows[0] && head !== undefined ? head.children.map(textOf) : [],
        rows: rows.filter((row) => row !== head || head !== rows[0]).map((row) => row.children.map(textOf)),
      };
    });
}
