import type { JudgedCell } from '../../core/report.ts';
import { type Markup, html } from './markup.ts';

/** One column; columns of the same group are adjacent. */
export interface Column {
  key: string;
  title: string;
  group?: string;
}

/** One pair: the expectation of the contract, and the result. */
export interface Field {
  row: string;
  column: string;
  expected: 'accepted' | 'refused';
  /** The verdict; undefined if the pair was not judged. */
  found: JudgedCell['verdict'] | undefined;
}

/** A matrix to render. */
export interface Matrix {
  title: string;
  corner: string;
  columns: readonly Column[];
  fields: readonly Field[];
}

/** Renders a matrix as a table of coloured fields; an undefined pair is empty. */
export function matrixView({ title, corner, columns, fields }: Matrix): Markup {
  const rows = Map.groupBy(fields, ({ row }) => row);
  const judged = fields.filter(({ found }) => found !== undefined);
  const failed = judged.filter(({ found }) => found === 'fail');
  return html`<figure class="matrix">
<figcaption><h3>${title}</h3> <span class="quiet">${judged.length} of ${fields.length} judged, ${failed.length} failed</span></figcaption>
<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table class="${columns.length > 8 ? 'wide' : 'narrow'}">
<thead>${groupHead(columns)}<tr><th scope="col" class="corner">${corner}</th>${columns.map(columnHead)}</tr></thead>
<tbody>${[...rows].map(([row, own]) => html`<tr><th scope="row"><code>${row}</code></th>${columns.map((column, index) => fieldView(own, { column, begins: begins(columns, index) }))}</tr>`)}</tbody>
</table></div></figure>`;
}

function groupHead(columns: readonly Column[]): Markup | undefined {
  const groups = Map.groupBy(columns, ({ group }) => group);
  if (groups.size <= 1) return undefined;
  const heads = [...groups].map(([group, members]) => {
    return html`<th scope="colgroup" colspan="${members.length}" class="group begins"><code>${group}</code></th>`;
  });
  return html`<tr><td></td>${heads}</tr>`;
}

function columnHead({ title }: Column, index: number, columns: readonly Column[]): Markup {
  return html`<th scope="col" class="value${begins(columns, index) ? ' begins' : ''}"><span>${title}</span></th>`;
}

function begins(columns: readonly Column[], index: number): boolean {
  return columns[index]?.group !== columns[index - 1]?.group;
}

function fieldView(own: readonly Field[], { column, begins: first }: { column: Column; begins: boolean }): Markup {
  const field = own.find((one) => one.column === column.key);
  const edge = first ? 'begins' : '';
  if (field === undefined) return html`<td class="${edge}"></td>`;
  const { kind, sign, text } = described(field);
  return html`<td class="${edge}"><span class="cell ${kind}" title="${text}"><span aria-hidden="true">${sign}</span><span class="unseen">${text}</span></span></td>`;
}

function described({ expected, found }: Field): { kind: string; sign: string; text: string } {
  if (found === undefined) return { kind: `unsent ${expected}`, sign: '·', text: `not judged; should be ${expected}` };
  if (found === 'fail') return { kind: 'failed', sign: '✕', text: `not ${expected}, which is wrong` };
  return { kind: expected, sign: expected === 'accepted' ? '✓' : '⊘', text: `${expected}, as it should be` };
}
