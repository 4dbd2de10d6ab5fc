import type { ReportRow } from '../report.ts';
import { type Markup, html } from './markup.ts';
import { verdictOrder, verdictWords } from '../words.ts';

/** The filters of the table; only shown where a script can work them. */
export function requirementFilters(rows: readonly ReportRow[]): Markup {
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
