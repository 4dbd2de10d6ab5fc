import { machines } from '../../lifecycle/index.ts';
import type { Report } from '../report.ts';
import { diagramView } from './diagram-view.ts';
import { foldedSection } from './folded-section.ts';
import { type Markup, html } from './markup.ts';

/** The state machines of the contract with the edges that the things of the run have walked. */
export function lifeCyclesSection({ walked = [] }: Report): Markup {
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
