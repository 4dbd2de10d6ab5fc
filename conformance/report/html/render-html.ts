import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Report } from '../../core/report.ts';
import { runVerdict } from '../verdict.ts';
import { causesSection } from './causes-section.ts';
import { headSection } from './head.ts';
import { type Markup, html, trusted } from './markup.ts';
import { matricesSection } from './matrices.ts';
import { requirementsSection } from './requirements-table.ts';
import { machines } from '../../properties/lifecycle/machines.ts';
import { diagramView } from './diagram-view.ts';
import { foldedSection } from './folded-section.ts';
import { type OperationCoverage, type Share, notExercised } from '../../core/coverage.ts';

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
<footer><p class="verdict-again">${runVerdict(report).text}</p><p>Format ${report.schema}. The JSON report has everything that is cut short here.</p></footer>
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

/** Renders the state machines of the contract with the state transitions that the run observed. */
function lifeCyclesSection({ walked = [] }: Report): Markup {
  const seen = machines.filter(({ machine }) => walked.some((edge) => edge.machine === machine));
  const body = html`${seen.length === 0 ? html`<p class="lead">Nothing was seen to change its state in this run.</p>` : legend()}
<div class="machines">${seen.map((machine) => diagramView(machine, walked))}</div>`;
  return foldedSection({ id: 'life-cycles', title: 'Life cycles' }, body);
}

function legend(): Markup {
  return html`<p class="lead">How the things of this run went from state to state; the numbers say how often.</p>
<ul class="legend" aria-label="Legend">
<li>${sample('walked')} seen</li><li>${sample('skipping')} seen, a state between was missed</li>
<li>${sample('open')} written, not seen</li><li>${sample('illegal')} must not happen</li>
</ul>`;
}

function sample(kind: string): Markup {
  return html`<svg class="sample" viewBox="0 0 30 8" width="30" height="8" aria-hidden="true"><path class="edge ${kind}" d="M1 4H29"/></svg>`;
}

/** Renders the coverage of each operation of the documents. */
function coverageSection({ coverage }: Report): Markup {
  const offered = coverage.filter((row) => row.offered);
  const never = new Set(notExercised(coverage));
  const away = coverage.length - offered.length;
  const body = html`<p class="lead">${offered.length - never.size} of ${offered.length} operations were exercised: called, and not only refused at the door.
${away > 0 ? `${away} are not offered by the target file.` : undefined}</p>
<div class="scroll"><table class="coverage">
<caption class="unseen">Operations of the documents and what was seen of each</caption>
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
