import { textOf } from '../../harness/json.ts';
import type { Report } from '../report.ts';
import { objectAt, objectsAt, textsAt } from './json-members.ts';
import { type Markup, html } from './markup.ts';
import { counted } from '../words.ts';

/** Lists of a baseline that say something, each with its words. */
const lists = [
  ['stale', 'stale: their failure is gone'],
  ['expired', 'expired: they count again'],
  ['notJudged', 'not judged in this run'],
  ['unknownCells', 'for a cell that its row does not have'],
] as const;

/** What became of the known failures of a baseline; undefined where the run had none. */
export function baselineView(report: Report): Markup | undefined {
  const baseline = objectAt(report, 'baseline');
  if (baseline === undefined) return undefined;
  const parts = lists.map(([name, words]) => {
    const entries = objectsAt(baseline, name);
    if (entries.length === 0) return undefined;
    const lines = entries.map((entry) => html`<li>${textOf(entry['name'])} ${textOf(entry['why'])}</li>`);
    return html`<details><summary>${counted(entries.length, 'entry', 'entries')} ${words}</summary><ul>${lines}</ul></details>`;
  });
  return html`<section class="notice" aria-label="Baseline"><h2>Baseline <span class="quiet">${textOf(baseline['file'])}: ${counted(textsAt(baseline, 'accepted').length, 'requirement')} accepted</span></h2>${parts}</section>`;
}
