import { type JsonObject, textOf } from '../../harness/json.ts';
import type { Report } from '../report.ts';
import { objectsAt } from './json-members.ts';
import { type Markup, html } from './markup.ts';

/** What the run says of the frozen sets that were asked for; undefined where none was. */
export function certificatesView(report: Report): Markup | undefined {
  const certificates = objectsAt(report, 'certify');
  if (certificates.length === 0) return undefined;
  const known = new Set(report.requirements.map(({ id }) => id));
  return html`<section class="notice" aria-label="Certificates">${certificates.map((one) => certificateView(one, known))}</section>`;
}

function certificateView(certificate: JsonObject, known: ReadonlySet<string>): Markup {
  const [set, frozen, passed, total] = ['set', 'frozen', 'passed', 'total'].map((name) => textOf(certificate[name]));
  const certified = certificate['certified'] === true;
  const missing = objectsAt(certificate, 'missing');
  const list = missing.map((row) => html`<li>${rowLink(textOf(row['id']), known)} ${textOf(row['why'])}</li>`);
  return html`<h2><span class="${certified ? 'good' : 'bad'}">${certified ? 'Certified' : 'Not certified'}</span> ${set?.toUpperCase()}
<span class="quiet">set of ${frozen}: ${passed} of ${total}</span></h2>
${missing.length === 0 ? undefined : html`<details><summary>${missing.length} not shown</summary><ul>${list}</ul></details>`}`;
}

function rowLink(id: string, known: ReadonlySet<string>): Markup {
  return known.has(id) ? html`<a href="#${id}">${id}</a>` : html`${id}`;
}
