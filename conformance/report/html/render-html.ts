import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Report } from '../report.ts';
import { runVerdict } from '../verdict.ts';
import { causesSection } from './causes-section.ts';
import { coverageSection } from './coverage-section.ts';
import { headSection } from './head.ts';
import { lifeCyclesSection } from './life-cycles.ts';
import { type Markup, html, trusted } from './markup.ts';
import { matricesSection } from './matrices.ts';
import { requirementsSection } from './requirements-table.ts';

/** A report as one page: no other file, no other host, readable without a script. */
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

// The policy lets exactly our own style and script in, by their hashes: nothing that a target has said can become either.
function page(report: Report, { style, script }: Assets): Markup {
  const policy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; base-uri 'none'; form-action 'none'`;
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
${navigation()}
<main>
${causesSection(report)}
${requirementsSection(report)}
${lifeCyclesSection(report)}
${matricesSection(report)}
${coverageSection(report)}
</main>
<footer><p class="verdict-again">${runVerdict(report).text}</p><p>Format ${report.schema}. The JSON report has everything that is cut short here.</p></footer>
<script>${trusted(script)}</script>
</body>
</html>`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

const sections = [
  ['findings', 'Findings'],
  ['requirements', 'Requirements'],
  ['life-cycles', 'Life cycles'],
  ['matrices', 'Matrices'],
  ['coverage', 'Coverage'],
];

function navigation(): Markup {
  const links = sections.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`);
  return html`<nav aria-label="Parts of the report"><ul>${links}</ul></nav>`;
}
