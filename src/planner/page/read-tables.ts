import { nodesIn, type PageNode, getText } from '#agent/page-node.ts';

/** A table of a page; `header` is empty for a table without a header row. */
export interface ShownTable {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Returns the tables of a page in order. */
export function readTables(page: PageNode): ShownTable[] {
  return nodesIn(page)
    .filter(({ role }) => role === 'table' || role === 'grid' || role === 'treegrid')
    .map((table) => {
      const rows = nodesIn(table).filter(({ role }) => role === 'row');
      const isHead = (row: PageNode): boolean =>
        row.children.length > 0 && row.children.every(({ role }) => role === 'columnheader') && row.children.length > 1;
      const [head] = rows.filter(isHead);
      return {
        header: head === rows[0] && head !== undefined ? head.children.map(getText) : [],
        rows: rows.filter((row) => row !== head || head !== rows[0]).map((row) => row.children.map(getText)),
      };
    });
}

/** A statement of a page, such as the cell of a table: `label` says what `value` is. */
export interface Statement {
  readonly label: string;
  /** Text beside the value, such as the other cells of its row. */
  readonly beside: string;
  readonly value: string;
  /** Text of the page, suitable for a quotation. */
  readonly quote: string;
  /** How uncertain it is that `label` describes `value`: 0 for a table cell, up to 3 for a sentence. */
  readonly rank: number;
  /** Index of the row in its table, from 0; null for a statement outside of tables. */
  readonly row: number | null;
}

const sentenceMax = 300;

/**
 * Returns the statements of a page from which questions can be answered: table cells, terms with definitions, labels
 * with values, and sentences.
 */
export function readStatements(page: PageNode): Statement[] {
  const nodes = nodesIn(page);
  return [...tableStatements(page), ...nodes.flatMap(pairStatements), ...nodes.flatMap(sentenceStatements)];
}

function tableStatements(page: PageNode): Statement[] {
  return readTables(page)
    .flatMap(({ header, rows }) =>
      rows.flatMap((cells, row) =>
        header.length > 0
          ? headed(header, cells, row)
          : [
              {
                label: cells[0] ?? '',
                beside: '',
                value: cells.slice(1).filter(Boolean).join(' '),
                quote: cells.filter(Boolean).join(': '),
                rank: 0,
                row,
              },
            ],
      ),
    )
    .filter(({ value }) => value !== '');
}

function headed(header: readonly string[], cells: readonly string[], row: number): Statement[] {
  return cells.map((value, at) => {
    const beside = cells.filter((_cell, index) => index !== at).join(' | ');
    return { label: header[at] ?? '', beside, value, quote: `${header[at] ?? ''}: ${value} (${beside})`, rank: 0, row };
  });
}

/**
 * Returns statements for pairs of adjacent texts: a `term` with its `definition`, or a short text without digits with
 * the next short text.
 */
function pairStatements(node: PageNode): Statement[] {
  if (node.role === 'row' || node.role === 'combobox') return [];
  const parts = node.children.filter(
    ({ role }) => !/^(?:button|link|img|switch|checkbox|radio|textbox|combobox)$/.test(role),
  );
  return parts.flatMap((part, at) => {
    const next = parts[at + 1];
    if (next === undefined || next.role === 'heading') return [];
    const [label, value] = [getText(part), getText(next)];
    const isTerm = part.role === 'term' && next.role === 'definition';
    const isPair =
      /^(?:paragraph|generic|strong|heading|text)$/.test(part.role) &&
      label.length <= 60 &&
      !/\d/.test(label) &&
      value.length <= 60;
    if (!(isTerm || isPair) || label === '' || value === '') return [];
    return [
      { label, beside: '', value, quote: `${label.replace(/:$/, '')}: ${value}`, rank: isTerm ? 0 : 1, row: null },
    ];
  });
}

function sentenceStatements(node: PageNode): Statement[] {
  const inner = node.children.some(({ role }) => !/^(?:text|strong|emphasis|link|code)$/.test(role));
  if (inner || !/^(?:paragraph|status|alert|generic|listitem|text|strong)$/.test(node.role)) return [];
  return (getText(node).match(/[^.!?]+(?:[.!?](?!\s|$)[^.!?]*)*[.!?]?/g) ?? [])
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '' && sentence.length <= sentenceMax)
    .map((sentence) => ({
      label: sentence,
      beside: '',
      value: sentence,
      quote: sentence,
      rank: node.role === 'status' ? 2 : 3,
      row: null,
    }));
}
