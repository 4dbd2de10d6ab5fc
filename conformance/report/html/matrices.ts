import { acceptedParamCells, foreignPathCells, levelCells, refusedParamCells } from '../../common/cells.ts';
import type { JudgedCell, Report } from '../../core/report.ts';
import { foldedSection } from './folded-section.ts';
import { type Markup, html } from './markup.ts';

/** Renders the accepted values of each model: the expectation of the contract, and the result of the run. */
export function matricesSection(report: Report): Markup {
  const matrices = [levelMatrix(report, 'v3'), levelMatrix(report, 'v2'), paramMatrix(report)];
  const judged = matrices.filter(({ fields }) => fields.some(({ found }) => found !== undefined));
  const body = html`${judged.length === 0 ? html`<p class="lead">This run has judged no pair of a model and a value.</p>` : legend}
<div class="matrices">${judged.map(matrixView)}</div>`;
  return foldedSection({ id: 'matrices', title: 'Matrices' }, body);
}

const legend = html`<p class="lead">Each field is one pair that the contract accepts or refuses.</p>
<ul class="legend" aria-label="Legend">
<li><span class="cell accepted" aria-hidden="true">✓</span> accepted, as it should be</li>
<li><span class="cell refused" aria-hidden="true">⊘</span> refused, as it should be</li>
<li><span class="cell failed" aria-hidden="true">✕</span> the wrong way round</li>
<li><span class="cell unsent" aria-hidden="true">·</span> not judged</li>
</ul>`;

function levelMatrix(report: Report, generation: 'v2' | 'v3'): Matrix {
  const name = generation.toUpperCase();
  const accepted = judgedBy(report, [`${name}-THINK-ACCEPTS`]);
  const refused = judgedBy(report, [`${name}-THINK-REFUSES`]);
  const cells = levelCells(generation);
  const fields = cells.map((cell) => ({
    row: cell.model,
    column: cell.level,
    expected: cell.accepted ? ('accepted' as const) : ('refused' as const),
    found: (cell.accepted ? accepted : refused).get(cell.key),
  }));
  const columns = [...new Set(cells.map(({ level }) => level))].map((level) => ({ key: level, title: level }));
  return { title: `${name}: thinkingLevel`, corner: 'Model', columns, fields };
}

function paramMatrix(report: Report): Matrix {
  const accepted = judgedBy(report, ['V4-PARAMS-ACCEPTS']);
  const refused = judgedBy(report, ['V4-PARAMS-REFUSES', 'V4-PARAMS-27']);
  const field = (expected: 'accepted' | 'refused') => (cell: ReturnType<typeof acceptedParamCells>[number]) => ({
    row: cell.model,
    column: `${cell.path} ${cell.value}`,
    expected,
    found: (expected === 'accepted' ? accepted : refused).get(cell.key),
  });
  const fields: Matrix['fields'] = [
    ...acceptedParamCells().map(field('accepted')),
    ...[...refusedParamCells(), ...foreignPathCells()].map(field('refused')),
  ];
  return { title: 'V4: modelParams', corner: 'Model', columns: paramColumns(fields), fields };
}

// Values that some model accepts come first, in table order; then values outside every table.
function paramColumns(fields: Matrix['fields']): Column[] {
  const ordered = fields.toSorted((left, right) => rank(left.column) - rank(right.column));
  const keys = [...new Set(ordered.map(({ column }) => column))];
  const groups = Map.groupBy(keys, (key) => key.split(' ')[0] ?? '');
  return [...groups].flatMap(([group, members]) => members.map((key) => ({ key, title: titleOf(key), group })));
}

function titleOf(column: string): string {
  const value = column.split(' ')[1] ?? '';
  return value === 'svc-unlisted' ? 'any other' : value;
}

const order = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

function rank(column: string): number {
  const value = column.split(' ')[1] ?? '';
  return value === 'svc-unlisted' ? order.length + 1 : order.includes(value) ? order.indexOf(value) : order.length;
}

function judgedBy({ requirements }: Report, ids: readonly string[]): Map<string, JudgedCell['verdict']> {
  const rows = requirements.filter(({ id }) => ids.includes(id));
  return new Map(rows.flatMap(({ judgedCells = [] }) => judgedCells.map(({ cell, verdict }) => [cell, verdict])));
}

/** One column; columns of the same group are adjacent. */
interface Column {
  key: string;
  title: string;
  group?: string;
}

/** One pair: the expectation of the contract, and the result. */
interface Field {
  row: string;
  column: string;
  expected: 'accepted' | 'refused';
  /** The verdict; undefined if the pair was not judged. */
  found: JudgedCell['verdict'] | undefined;
}

/** A matrix to render. */
interface Matrix {
  title: string;
  corner: string;
  columns: readonly Column[];
  fields: readonly Field[];
}

/** Renders a matrix as a table of coloured fields; an undefined pair is empty. */
function matrixView({ title, corner, columns, fields }: Matrix): Markup {
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
