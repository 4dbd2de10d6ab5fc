import { type OperationCoverage, type Share, notExercised } from '../../coverage/index.ts';
import type { Report } from '../report.ts';
import { foldedSection } from './folded-section.ts';
import { type Markup, html } from './markup.ts';

/** What the run has exercised of each operation of the documents. */
export function coverageSection({ coverage }: Report): Markup {
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
