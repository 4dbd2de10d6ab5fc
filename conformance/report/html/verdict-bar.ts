import type { Totals, Verdict } from '../report.ts';
import { type Markup, html } from './markup.ts';
import { verdictOrder, verdictWords } from '../words.ts';

const totalOf: Readonly<Record<Verdict, keyof Totals>> = {
  pass: 'passed',
  violation: 'violations',
  warning: 'warnings',
  note: 'notes',
  notTestable: 'notTestable',
  notRun: 'notRun',
  error: 'errors',
};

/** Passes first, so that the eye reads the bar from good to unknown. */
const barOrder: readonly Verdict[] = ['pass', ...verdictOrder.filter((verdict) => verdict !== 'pass')];

/** Verdicts as one bar, to scale, with its numbers below. */
export function verdictBar(totals: Totals, title: string): Markup {
  const counts = barOrder
    .map((verdict) => ({ verdict, count: totals[totalOf[verdict]] }))
    .filter(({ count }) => count > 0);
  const all = counts.reduce((sum, { count }) => sum + count, 0);
  let at = 0;
  const parts = counts.map(({ verdict, count }) => {
    const x = at;
    at += (count / all) * 1000;
    return html`<rect class="${verdict}" x="${x.toFixed(2)}" y="0" width="${Math.max(2, at - x - 2).toFixed(2)}" height="10"/>`;
  });
  const numbers = counts.map(({ verdict, count }) => {
    return html`<li><span class="dot ${verdict}" aria-hidden="true"></span><b>${count}</b> ${verdictWords[verdict].plural}</li>`;
  });
  return html`<figure class="bar"><svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">${parts}</svg>
<figcaption><span class="unseen">${title}: </span><ul>${numbers}</ul></figcaption></figure>`;
}
