import type { Failure, Report, ReportRow } from '../../core/report.ts';
import { prose, copyable, type Markup, type Part, html, foldedSection } from './markup.ts';
import { type Acceptance, readAcceptance, readScript } from './optional-members.ts';
import { counted, isFinding, verdictOrder, verdictWords } from '../words.ts';
import type { Exchange } from '../../core/exchange.ts';
import { parseJson } from '../../core/json.ts';
import { bodyView } from './body-view.ts';
import { type Cause, causeExample, reportCauses } from '../causes.ts';

/** Maximum number of shown causes. */
const causesShown = 50;
/** Maximum length of a shown title, in characters. */
const titleMax = 300;

/**
 * Renders the findings by cause, one expandable line each with an example. All findings by requirement follow below.
 */
export function causesSection(report: Report): Markup {
  const causes = reportCauses(report);
  const nothing = causes.length === 0 ? html`<p class="lead">No judged requirement is violated.</p>` : undefined;
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

/** Number of failures of one requirement that are shown in full, the first one expanded; the others have one line. */
const failuresShown = 3;
/** Maximum length of a shown message or line, in characters. */
const textMax = 4000;
/** Maximum number of failures of one requirement that have a line. */
const linesShown = 100;

const levels: readonly ReportRow['level'][] = ['MUST', 'SHOULD', 'MAY'];

/**
 * Renders all findings by requirement in a collapsed section, the worst first. Requirements whose findings a baseline
 * accepts follow in a section of their own. Returns undefined without findings.
 */
function findingsByRequirement(report: Report): Markup | undefined {
  const found = report.requirements.filter(isFinding).toSorted(worstFirst);
  const open = found.filter((row) => readAcceptance(row) === undefined);
  const accepted = found.filter((row) => readAcceptance(row) !== undefined);
  if (found.length === 0) return undefined;
  return html`<details class="by-requirement"><summary><h3>By requirement <span class="count">${open.length}</span></h3></summary>
${open.map((row) => findingView(row, report))}</details>
${accepted.length === 0 ? undefined : acceptedView(accepted, report)}`;
}

function acceptedView(rows: readonly ReportRow[], report: Report): Markup {
  return html`<details class="accepted"><summary><h3>Known and accepted <span class="count">${rows.length}</span></h3></summary>
${rows.map((row) => findingView(row, report))}</details>`;
}

function worstFirst(left: ReportRow, right: ReportRow): number {
  return rank(left) - rank(right);
}

// A rule of the contract has a higher rank than a rule beyond it.
function rank({ verdict, profile, level }: ReportRow): number {
  return verdictOrder.indexOf(verdict) * 100 + (profile === 'full' ? 10 : 0) + levels.indexOf(level);
}

function findingView(row: ReportRow, report: Report): Markup {
  const { id, verdict, level, text, source, reason, profile, failures } = row;
  const { word, sign } = verdictWords[verdict];
  const beyond = profile === 'full' ? html`<span class="tag beyond">beyond the contract</span>` : undefined;
  return html`<article class="finding ${verdict}" id="finding-${id}" aria-labelledby="finding-title-${id}">
<header>
<p class="kind"><span class="verdict ${verdict}"><span aria-hidden="true">${sign}</span> ${word}</span> <span class="tag">${level}</span> ${beyond} ${renderCells(row)}</p>
<h3 id="finding-title-${id}"><a href="#${id}" class="id">${id}</a> ${prose(text)}</h3>
${quoteView(row)}
<p class="source">Source: ${source}</p>
${acceptanceView(readAcceptance(row))}
${reason === undefined ? undefined : html`<pre class="reason" tabindex="0">${reason.slice(0, textMax)}</pre>`}
</header>
${failures.slice(0, 1).map((failure) => failureView(failure, { report, first: true }))}
${failures.slice(1, failuresShown).map((failure) => anotherView(failure, report))}
${moreView(failures.slice(failuresShown))}
</article>`;
}

/** Renders the quotation of the contract; undefined for a row from another source. */
function quoteView({ quote }: ReportRow): Markup | undefined {
  return quote === undefined ? undefined : html`<p class="quote">Contract: “${prose(quote)}”</p>`;
}

function renderCells({ cells }: ReportRow): Markup | undefined {
  if (cells.total <= 1) return undefined;
  return html`<span class="quiet">${cells.failed} of ${cells.judged} cells</span>`;
}

/** Renders the acceptance of a failure; undefined without an acceptance. */
function acceptanceView(accepted: Acceptance | undefined): Markup | undefined {
  if (accepted === undefined) return undefined;
  const { reason, link, expires } = accepted;
  const until = expires === undefined ? undefined : html` until ${expires}`;
  return html`<p class="acceptance">Accepted${until}: ${reason} ${linkView(link)}</p>`;
}

// Only the URL of a web page in a baseline becomes a link.
function linkView(link: string | undefined): Part {
  return link !== undefined && /^https?:\/\//.test(link) ? html`<a href="${link}" rel="noreferrer">${link}</a>` : link;
}

interface Shown {
  report: Report;
  /** True if the message and the exchange are expanded. */
  first: boolean;
}

function anotherView(failure: Failure, report: Report): Markup {
  return html`<details class="another"><summary>${renderMessage(failure)}</summary>${failureView(failure, { report, first: false })}</details>`;
}

function renderMessage({ requirement, message }: Failure): Markup {
  const text = message.length > textMax ? `${message.slice(0, textMax)}… (${message.length} characters)` : message;
  return html`${requirement === undefined ? undefined : html`<b>${requirement}</b> `}${text}`;
}

// A truncated command would send another request, so a command that is too long is left out.
function curlView(curl: string): Markup {
  if (curl.length <= textMax) return copyable('curl', curl);
  return html`<p class="quiet">The curl line has ${curl.length} characters; the JSON report has it.</p>`;
}

/** Renders one failure in full: message, requests, response, and the lines that reproduce it. */
function failureView(failure: Failure, { report, first }: Shown): Markup {
  const exchange = failure.exchange === undefined ? undefined : report.exchanges[failure.exchange];
  const { counterexample, curl, replay } = failure;
  const script = readScript(failure);
  return html`<div class="failure">
${first ? html`<p class="message">${renderMessage(failure)}</p>` : undefined}
${acceptanceView(readAcceptance(failure))}
${counterexample === undefined ? undefined : html`<p class="input"><span class="label">smallest input</span> <code>${counterexample.slice(0, textMax)}</code></p>`}
${script === undefined ? undefined : scriptView(script)}
${exchange === undefined ? undefined : html`<details${first ? html` open` : undefined}><summary>Request and answer</summary>${exchangeView(exchange, failure)}</details>`}
${curl === undefined ? undefined : curlView(curl)}
${copyable('replay', `svc replay ${replay}`)}
</div>`;
}

function scriptView(script: readonly string[]): Markup {
  const lines = script.map((line) => html`<li><code>${line}</code></li>`);
  return html`<details class="script"><summary>${counted(script.length, 'request')} that lead to it</summary><ol>${lines}</ol></details>`;
}

function moreView(failures: readonly Failure[]): Markup | undefined {
  if (failures.length === 0) return undefined;
  const lines = failures.slice(0, linesShown).map((failure) => {
    return html`<li>${renderMessage(failure)}${acceptanceView(readAcceptance(failure))}${copyable('replay', `svc replay ${failure.replay}`)}</li>`;
  });
  const rest = failures.length - lines.length;
  const left = rest > 0 ? html`<p class="quiet">${rest} more are in the JSON report.</p>` : undefined;
  return html`<details class="more"><summary>${failures.length} more</summary><ul>${lines}</ul>${left}</details>`;
}

/**
 * Renders a request and its response, and marks the fault: the offending member of the body, or the status if the
 * message names it. A missing response is marked too.
 */
function exchangeView(exchange: Exchange, { member, message }: Failure): Markup {
  const { request, status, durationMs, headers, body, json } = exchange;
  const wrongStatus = member === undefined && (status === 0 || namesStatus(message, status));
  const answer = status === 0 ? `no answer: ${exchange.fault ?? 'unknown fault'}` : String(status);
  const line = wrongStatus ? html`<mark><span class="unseen">at fault: </span>${answer}</mark>` : answer;
  return html`<div class="exchange">
<div><h4>Request</h4>
<p class="line"><b>${request.method}</b> <span class="url">${cut(request.url, urlMax)}</span></p>
${headerView(request.headers)}${bodyView({ text: request.body ?? '', json: parseJson(request.body ?? '') })}</div>
<div><h4>Answer</h4>
<p class="line"><b>${line}</b> <span class="quiet">after ${Math.round(durationMs)} ms</span></p>
${headerView(headers)}${bodyView({ text: body, json, member })}</div>
</div>`;
}

// Messages about the status continue with the expected or the documented statuses.
function namesStatus(message: string, status: number): boolean {
  return [`answered ${status};`, `answered ${status}: the status`].some((words) => message.includes(words));
}

/** Maximum number of shown characters of one header. */
const headerMax = 300;

/** Maximum number of shown characters of a URL. */
const urlMax = 1000;

function headerView(headers: Readonly<Record<string, string>>): Markup | undefined {
  const entries = Object.entries(headers);
  if (entries.length === 0) return undefined;
  const rows = entries.map(([name, value]) => html`<dt>${name}</dt><dd>${cut(value, headerMax)}</dd>`);
  return html`<details class="headers"><summary>${counted(entries.length, 'header')}</summary><dl>${rows}</dl></details>`;
}

function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}… (${text.length} characters)` : text;
}
