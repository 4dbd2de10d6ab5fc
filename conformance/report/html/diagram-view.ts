import type { Machine, WalkedEdge } from '../../core/lifecycle.ts';
import { type Badge, badgesOf } from './diagram-badges.ts';
import { type DiagramEdge, edgeWords, edgesOf } from './diagram-edges.ts';
import { type PlacedEdge, type PlacedState, type Point, denseAbove, layOut, stateSize } from './diagram-layout.ts';
import { type Markup, html } from './markup.ts';

/** Title of each machine in the report. */
const titles: Readonly<Record<Machine['machine'], string>> = {
  session: 'V3 session',
  task: 'V2 task',
  run: 'V4 run',
  browser: 'V4 browser',
};

/** Renders a machine with its observed edges, as a drawing and as a table. */
export function diagramView(machine: Machine, walked: readonly WalkedEdge[]): Markup {
  const edges = edgesOf(machine, walked);
  const title = titles[machine.machine];
  const seen = edges.filter(({ count }) => count > 0);
  return html`<figure class="machine${edges.length > denseAbove ? ' dense' : ''}">
<figcaption><h3>${title}</h3> <span class="quiet">${summary(machine, edges)}</span></figcaption>
<div class="scroll" tabindex="0" role="region" aria-label="Diagram of the ${title}">${drawing(machine, edges)}</div>
${seen.length === 0 ? undefined : tableOf(title, seen)}
</figure>`;
}

function summary({ transitions }: Machine, edges: readonly DiagramEdge[]): string {
  const count = (...kinds: DiagramEdge['kind'][]): number => edges.filter(({ kind }) => kinds.includes(kind)).length;
  const illegal = count('illegal');
  const wrong = illegal === 0 ? '' : `, ${illegal} that must not happen`;
  if (transitions.length === 0) return `the contract shows no order; ${count('walked')} edges were seen${wrong}`;
  return `${count('walked')} of ${count('walked', 'open')} written edges were seen${wrong}`;
}

function drawing(machine: Machine, edges: readonly DiagramEdge[]): Markup {
  const layout = layOut(machine, edges);
  const { width, height, states } = layout;
  const visited = new Set(edges.filter(({ count }) => count > 0).flatMap(({ from, to }) => [from, to]));
  const name = machine.machine;
  return html`<svg class="diagram" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${titles[name]}: states ${states.map((state) => state.name).join(', ')}. The table below has the edges.">
<defs>${(['open', 'walked', 'skipping', 'illegal'] as const).map((kind) => arrow(name, kind))}</defs>
${layout.edges.map((edge) => edgeView(name, edge))}
${states.map((state) => stateView(state, visited.has(state.name)))}
${badgesOf(layout).map(badgeView)}
</svg>`;
}

function arrow(name: string, kind: DiagramEdge['kind']): Markup {
  return html`<marker id="arrow-${name}-${kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path class="tip ${kind}" d="M0 0.6 7.4 4 0 7.4z"/></marker>`;
}

function edgeView(name: string, { curve, kind, from, to }: PlacedEdge): Markup {
  const [a, b, c, d] = curve;
  const path = `M${at(a)} C${at(b)} ${at(c)} ${at(d)}`;
  return html`<path class="edge ${kind}" data-from="${from}" data-to="${to}" d="${path}" marker-end="url(#arrow-${name}-${kind})"/>`;
}

function at({ x, y }: Point): string {
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}

// A terminal state has a second outline, as in a state diagram.
function stateView({ name, kind, x, y }: PlacedState, visited: boolean): Markup {
  const { width, height } = stateSize;
  const box = (inset: number): Markup =>
    html`<rect x="${x - width / 2 + inset}" y="${y - height / 2 + inset}" width="${width - 2 * inset}" height="${height - 2 * inset}" rx="${9 - inset}"/>`;
  return html`<g class="state ${kind}${visited ? ' visited' : ''}">${box(0)}${kind === 'end' ? box(3.5) : undefined}<text x="${x}" y="${y}" dy="0.35em" text-anchor="middle">${name}</text></g>`;
}

function badgeView({ x, y, width, text, kind }: Badge): Markup {
  return html`<g class="badge ${kind}"><rect x="${(x - width / 2).toFixed(1)}" y="${(y - 8.5).toFixed(1)}" width="${width}" height="17" rx="8.5"/><text x="${x.toFixed(1)}" y="${y.toFixed(1)}" dy="0.35em" text-anchor="middle">${text}</text></g>`;
}

function tableOf(title: string, edges: readonly DiagramEdge[]): Markup {
  const rows = edges.map(({ from, to, count, kind }) => {
    return html`<tr><td>${from}</td><td>${to}</td><td class="number">${count}</td><td>${edgeWords[kind]}</td></tr>`;
  });
  return html`<details><summary>As a table</summary><table class="edges"><caption class="unseen">Edges of the ${title}</caption>
<thead><tr><th scope="col">From</th><th scope="col">To</th><th scope="col" class="number">Times</th><th scope="col"></th></tr></thead><tbody>${rows}</tbody></table></details>`;
}
