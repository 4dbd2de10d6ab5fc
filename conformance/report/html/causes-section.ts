import { type Cause, causeExample, reportCauses } from '../causes.ts';
import type { Report } from '../../core/report.ts';
import { counted, verdictWords } from '../words.ts';
import { failureView, findingsByRequirement, quoteView } from './findings.ts';
import { foldedSection, type Markup, html, prose } from './markup.ts';

/** Maximum number of shown causes. */
const causesShown = 50;
/** Maximum length of a shown title, in characters. */
const titleMax = 300;

/**
 * Renders the findings by cause, one expandable line each with an example. All findings by requirement follow below.
 */
export function causesSection(report: Report): Markup {
  const causes = reportCauses(report);
  const nothing =
    causes.length === 0 ? html`<p class="lead">Nothing was found that breaks a requirement.</p>` : undefined;
  const title = html`Findings <span class="count">${counted(causes.length, 'cause')}</span>`;
  const rest = causes.length - causesShown;
  const more = rest > 0 ? html`<p class="quiet">${rest} more are in the JSON report.</p>` : undefined;
  const shown = causes.slice(0, causesShown).map((cause, index) => causeView(cause, index, report));
  return foldedSection(
    { id: 'findings', title, open: true },
    html`${nothing}${shown}${more}${findingsByRequirement(report)}`,
  );
}

// The first cause is expanded: an example is more informative than a list.
function causeView(cause: Cause, index: number, report: Report): Markup {
  const { title, verdict, profile, accepted, requirements, operations, cells } = cause;
  const { word, sign } = verdictWords[verdict];
  const counts = [
    counted(requirements.length, 'requirement'),
    ...(operations.length === 0 ? [] : [counted(operations.length, 'operation')]),
    ...(cells.length === 0 ? [] : [counted(cells.length, 'cell')]),
  ];
  const links = requirements.map((id) => html`<a href="#finding-${id}" class="id">${id}</a> `);
  return html`<details class="cause" id="cause-${index + 1}"${index === 0 && !accepted ? html` open` : undefined}>
<summary><span class="verdict ${verdict}"><span aria-hidden="true">${sign}</span> ${word}</span>
${profile === 'full' ? html`<span class="tag">beyond the contract</span>` : undefined} ${accepted ? html`<span class="tag">accepted</span>` : undefined}
<h3>${title.length > titleMax ? `${title.slice(0, titleMax)}…` : title}</h3> <span class="quiet">${counts.join(' · ')}</span></summary>
<dl class="where"><dt>Requirements</dt><dd>${links}</dd>
${names('Operations', operations)}${names('Cells', cells)}</dl>
${exampleView(cause, report)}
</details>`;
}

function names(label: string, list: readonly string[]): Markup | undefined {
  return list.length === 0
    ? undefined
    : html`<dt>${label}</dt><dd>${list.map((name) => html`<code>${name}</code> `)}</dd>`;
}

function exampleView(cause: Cause, report: Report): Markup | undefined {
  const example = causeExample(cause, report);
  if (example === undefined) return undefined;
  const { row, failure } = example;
  return html`<p class="source"><span class="label">example</span> ${row.level} <a href="#finding-${row.id}" class="id">${row.id}</a> ${prose(row.text)} (${row.source})</p>
${quoteView(row)}
${failureView(failure, { report, first: true })}`;
}
