import type { Exchange } from '../../harness/exchange.ts';
import { parseJson } from '../../harness/json.ts';
import type { Failure } from '../report.ts';
import { bodyView } from './body-view.ts';
import { type Markup, html } from './markup.ts';
import { counted } from '../words.ts';

/** A request and its answer, what is at fault marked: a member of the body, or the status where the message speaks of it. */
export function exchangeView(exchange: Exchange, { member, message }: Failure): Markup {
  const { request, status, durationMs, headers, body, json } = exchange;
  const wrongStatus = member === undefined && (status === 0 || speaksOfStatus(message, status));
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

// Messages that judge the status go on with what was expected, or with what the documents say of it.
function speaksOfStatus(message: string, status: number): boolean {
  return [`answered ${status};`, `answered ${status}: the status`].some((words) => message.includes(words));
}

/** Most characters of one header that are shown. */
const headerMax = 300;
/** Most characters of an address that are shown. */
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
