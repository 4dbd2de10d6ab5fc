import { acceptedParamCells, foreignPathCells, levelCells, refusedParamCells } from '../../common/cells.ts';
import type { JudgedCell, Report } from '../../core/report.ts';
import { foldedSection } from './folded-section.ts';
import { type Markup, html } from './markup.ts';
import { type Column, type Matrix, matrixView } from './matrix-view.ts';

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
