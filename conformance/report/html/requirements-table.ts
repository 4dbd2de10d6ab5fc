import { findRequirement } from '../../core/requirement.ts';
import type { Report, ReportRow } from '../../core/report.ts';
import { foldedSection, type Markup, html, prose } from './markup.ts';
import { readAcceptance } from './optional-members.ts';
import { isFinding, verdictOrder, verdictWords } from '../words.ts';

/**
 * Renders every requirement, the worst verdicts first. A row shows the reason of its verdict, if the report has a
 * reason. The reason of an error is omitted.
 */
export function requirementsSection({ requirements }: Report): Markup {
  const rank = ({ verdict }: ReportRow): number => verdictOrder.indexOf(verdict);
  const rows = requirements.toSorted((left, right) => rank(left) - rank(right));
  const title = html`Requirements <span class="count">${requirements.length}</span>`;
  const body = html`${requirementFilters(requirements)}
<div class="scroll"><table class="requirements">
<caption class="unseen">Every requirement of the run with its verdict</caption>
<thead><tr>${columns.map(columnHead)}</tr></thead>
<tbody>${rows.map((row) => rowView(row, requirements.indexOf(row)))}</tbody>
</table></div>
<p class="quiet" id="nothing-shown" hidden>No requirement matches these filters.</p>`;
  return foldedSection({ id: 'requirements', title }, body);
}

const columns = [
  ['verdict', 'Verdict'],
  ['id', 'Id'],
  ['text', 'Requirement'],
  ['area', 'Area'],
  ['level', 'Level'],
  ['generations', 'In'],
  ['cells', 'Cells'],
] as const;

function columnHead([key, title]: (typeof columns)[number]): Markup {
  return html`<th scope="col" class="${key}" data-sort="${key}">${title}</th>`;
}

/** Returns the generations to which a requirement applies; empty for an unknown id. */
function listGenerations({ id }: ReportRow): readonly string[] {
  return findRequirement(id)?.versions ?? [];
}

// Filter and sort values are data attributes, so that the script does not parse displayed text.
function rowView(row: ReportRow, index: number): Markup {
  const { id, verdict, area, level, text, profile, cells } = row;
  const { word, sign } = verdictWords[verdict];
  const generations = listGenerations(row);
  const accepted = readAcceptance(row) === undefined ? undefined : html` <span class="tag">accepted</span>`;
  return html`<tr id="${id}" data-index="${index}" data-verdict="${verdict}" data-rank="${verdictOrder.indexOf(verdict)}" data-area="${area}" data-level="${level}" data-generations="${generations.join(' ')}" data-profile="${profile}" data-cells="${cells.total}">
<td class="verdict"><span class="verdict ${verdict}"><span aria-hidden="true">${sign}</span> <span class="word">${word}</span></span></td>
<th scope="row" class="id"><a href="#${id}">${id}</a></th>
<td class="text">${prose(text)}${accepted}
${reasonView(row)}${findingLink(row)}</td>
<td class="area">${area}</td><td class="level">${level}</td>
<td class="generations">${generations.map((name) => name.toUpperCase()).join(' ')}</td>
<td class="cells">${cells.total > 1 ? `${cells.judged} / ${cells.total}` : undefined}</td>
</tr>`;
}

function reasonView({ reason, source, verdict, profile }: ReportRow): Markup {
  const beyond = profile === 'full' ? ' · beyond the contract' : '';
  const why = reason === undefined || verdict === 'error' ? undefined : html`<span class="why">${reason}</span>`;
  return html`<span class="quiet source">${source}${beyond}</span>${why}`;
}

function findingLink(row: ReportRow): Markup | undefined {
  if (!isFinding(row)) return undefined;
  return html`<a class="to-finding" href="#finding-${row.id}">See what was found</a>`;
}

/** Renders the filters of the table; they are visible only with a script. */
function requirementFilters(rows: readonly ReportRow[]): Markup {
  const areas = [...new Set(rows.map(({ area }) => area))];
  const verdicts = verdictOrder.filter((verdict) => rows.some((row) => row.verdict === verdict));
  return html`<form class="filters" role="search" aria-label="Filter the requirements">
<label class="search"><span>Search</span><input type="search" name="text" placeholder="id, sentence, reason" autocomplete="off"></label>
<fieldset><legend>Verdict</legend>${verdicts.map((verdict) => {
    const count = rows.filter((row) => row.verdict === verdict).length;
    return choice('verdict', verdict, html`${verdictWords[verdict].word} <span class="count">${count}</span>`);
  })}</fieldset>
<fieldset><legend>Generation</legend>${['v2', 'v3', 'v4'].map((name) => choice('generations', name, name.toUpperCase()))}</fieldset>
<fieldset><legend>Level</legend>${['MUST', 'SHOULD', 'MAY'].map((level) => choice('level', level, level))}</fieldset>
<fieldset><legend>Scope</legend>${choice('profile', 'documented', 'contract')}${choice('profile', 'full', 'beyond it')}</fieldset>
<label class="area"><span>Area</span><select name="area"><option value="">all areas</option>${areas.map((area) => html`<option>${area}</option>`)}</select></label>
<p class="result"><output aria-live="polite">${rows.length} of ${rows.length} requirements</output> <button type="reset">Show all</button></p>
</form>`;
}

function choice(name: string, value: string, label: Markup | string): Markup {
  return html`<label class="choice"><input type="checkbox" name="${name}" value="${value}"><span>${label}</span></label>`;
}
