import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { JudgedCell, Report } from '../../core/report.ts';
import { runVerdict } from '../verdict.ts';
import { coverageSentences } from '../coverage-text.ts';
import { causesSection } from './findings.ts';
import { headSection } from './head.ts';
import { type Markup, html, trusted, foldedSection } from './markup.ts';
import { requirementsSection } from './requirements-table.ts';
import { machines } from '../../properties/lifecycle/machines.ts';
import { diagramView } from './diagram-view.ts';
import { type OperationCoverage, type Share, notExercised } from '../../core/coverage.ts';
import { isUnlisted, levelCells } from '../../common/level-cells.ts';
import { acceptedParamCells, foreignPathCells, refusedParamCells } from '../../common/param-cells.ts';

/** Renders a report as one HTML page without external resources, readable without a script. */
export function renderHtml(report: Report): string {
  const style = styles.map((name) => readBeside(`style/${name}.css`)).join('');
  const script = readBeside('page.js');
  return `<!doctype html>
${page(report, { style, script }).text}
`;
}

/** The parts of the style sheet, in order. */
const styles = ['colours', 'base', 'head', 'findings', 'exchange', 'requirements', 'diagrams', 'matrices', 'coverage'];

function readBeside(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}

interface Assets {
  style: string;
  script: string;
}

// The content security policy allows only the suite's style and script, by their hashes: text of a target can be
// neither.
function page(report: Report, { style, script }: Assets): Markup {
  const policy = `default-src 'none'; style-src ${hashText(style)}; script-src ${hashText(script)}; base-uri 'none'; form-action 'none'`;
  return html`<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${report.target.url}: conformance report</title>
<style>${trusted(style)}</style>
</head>
<body>
<a class="skip" href="#findings">Skip to the findings</a>
${headSection(report)}
${navigation(report)}
<main>
${causesSection(report)}
${requirementsSection(report)}
${report.client === undefined ? serviceSections(report) : undefined}
</main>
<footer><p class="verdict-again">${runVerdict(report).text}</p><p>Format ${report.schema}. The JSON report contains everything that is shortened here.</p></footer>
<script>${trusted(script)}</script>
</body>
</html>`;
}

function hashText(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

const sections = [
  ['findings', 'Findings'],
  ['requirements', 'Requirements'],
  ['life-cycles', 'Life cycles'],
  ['matrices', 'Matrices'],
  ['coverage', 'Coverage'],
];

/** Renders the sections that apply only to a service. */
function serviceSections(report: Report): Markup {
  return html`${lifeCyclesSection(report)}
${matricesSection(report)}
${coverageSection(report)}`;
}

/** Number of sections in a report on a client. */
const clientSections = 2;

function navigation({ client }: Report): Markup {
  const shown = client === undefined ? sections : sections.slice(0, clientSections);
  const links = shown.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`);
  return html`<nav aria-label="Parts of the report"><ul>${links}</ul></nav>`;
}

/** Renders each state machine of which the run observed a transition, with the observed transitions marked. */
function lifeCyclesSection({ walked = [] }: Report): Markup {
  const seen = machines.filter(({ machine }) => walked.some((edge) => edge.machine === machine));
  const body = html`${seen.length === 0 ? html`<p class="lead">No state transitions were observed in this run.</p>` : legend()}
<div class="machines">${seen.map((machine) => diagramView(machine, walked))}</div>`;
  return foldedSection({ id: 'life-cycles', title: 'Life cycles' }, body);
}

function legend(): Markup {
  return html`<p class="lead">Observed state transitions of this run, with their numbers.</p>
<ul class="legend" aria-label="Legend">
<li>${sample('walked')} seen</li><li>${sample('skipping')} seen, a state between was missed</li>
<li>${sample('open')} written, not seen</li><li>${sample('illegal')} must not happen</li>
</ul>`;
}

function sample(kind: string): Markup {
  return html`<svg class="sample" viewBox="0 0 30 8" width="30" height="8" aria-hidden="true"><path class="edge ${kind}" d="M1 4H29"/></svg>`;
}

/**
 * Renders the coverage of each operation that the target offers, and the number of operations that it does not offer.
 */
function coverageSection({ coverage }: Report): Markup {
  const offered = coverage.filter((row) => row.offered);
  const never = new Set(notExercised(coverage));
  const body = html`<p class="lead">${coverageSentences(coverage).join('\n')}</p>
<div class="scroll"><table class="coverage">
<caption class="unseen">Operations of the documents, with the exercised part of each</caption>
<thead><tr><th scope="col">Operation</th><th scope="col" class="number">Requests</th><th scope="col">Statuses</th><th scope="col" class="share">Sent</th><th scope="col" class="share">Received</th><th scope="col" class="number">Requirements</th></tr></thead>
<tbody>${offered.map((row) => rowView(row, never.has(row)))}</tbody>
</table></div>`;
  const title = html`Coverage <span class="count">${offered.length - never.size} of ${offered.length} operations</span>`;
  return foldedSection({ id: 'coverage', title }, body);
}

function rowView(row: OperationCoverage, never: boolean): Markup {
  const { operation, requests, statuses, sent, received, requirements } = row;
  return html`<tr${never ? html` class="never"` : undefined}>
<th scope="row"><code>${operation}</code>${never ? html` <span class="tag">not exercised</span>` : undefined}</th>
<td class="number">${requests}</td>
<td class="statuses">${statuses.seen.join(' ')}${neverSeen(statuses)}</td>
${shareView(sent, 'sent')}${shareView(received, 'received')}
<td class="number">${requirements.length}</td>
</tr>`;
}

function shareView({ seen, unseen }: Share<string>, what: string): Markup {
  const all = seen.length + unseen.length;
  if (all === 0) return html`<td class="share"><span class="quiet">–</span></td>`;
  const meter = html`<svg viewBox="0 0 60 6" class="meter" aria-hidden="true"><rect class="rail" width="60" height="6" rx="3"/><rect class="fill" width="${((60 * seen.length) / all).toFixed(1)}" height="6" rx="3"/></svg>`;
  const names =
    unseen.length === 0
      ? undefined
      : html`<details><summary>${unseen.length} never ${what}</summary><p class="names">${unseen.join(', ')}</p></details>`;
  return html`<td class="share">${meter} ${seen.length}/${all}${names}</td>`;
}

function neverSeen({ unseen }: Share<number>): Markup | undefined {
  return unseen.length === 0 ? undefined : html` <span class="quiet">never ${unseen.join(' ')}</span>`;
}

/**
 * Renders a matrix of models and values for each table of which the run judged a pair: whether the contract accepts the
 * pair, and the result.
 */
function matricesSection(report: Report): Markup {
  const matrices = [levelMatrix(report, 'v3'), levelMatrix(report, 'v2'), paramMatrix(report)];
  const judged = matrices.filter(({ fields }) => fields.some(({ found }) => found !== undefined));
  const body = html`${judged.length === 0 ? html`<p class="lead">This run judged no pair of a model and a value.</p>` : matrixLegend}
<div class="matrices">${judged.map(matrixView)}</div>`;
  return foldedSection({ id: 'matrices', title: 'Matrices' }, body);
}

const matrixLegend = html`<p class="lead">Each field is one pair that the contract accepts or refuses.</p>
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
  return [...groups].flatMap(([group, members]) => members.map((key) => ({ key, title: getColumnTitle(key), group })));
}

function getColumnTitle(column: string): string {
  const value = column.split(' ')[1] ?? '';
  return isUnlisted(value) ? 'any other' : value;
}

const order = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

function rank(column: string): number {
  const value = column.split(' ')[1] ?? '';
  if (isUnlisted(value)) return order.length + 1;
  return order.includes(value) ? order.indexOf(value) : order.length;
}

function judgedBy({ requirements }: Report, ids: readonly string[]): Map<string, JudgedCell['verdict']> {
  const rows = requirements.filter(({ id }) => ids.includes(id));
  return new Map(rows.flatMap(({ judgedCells = [] }) => judgedCells.map(({ cell, verdict }) => [cell, verdict])));
}

/** A column of a matrix. Columns of the same group are adjacent. */
interface Column {
  key: string;
  title: string;
  group?: string;
}

/** A field of a matrix, for one pair of a model and a value: the expectation of the contract, and the result. */
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

/** Renders a matrix as a table of coloured fields. A pair that is not among `fields` is empty. */
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
