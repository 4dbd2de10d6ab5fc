import type { Machine, WalkedEdge } from '../../core/lifecycle.ts';
import { type Markup, html } from './markup.ts';
import { isLegalStep, listSteps } from '../../properties/lifecycle/machines.ts';

/** Title of each machine in the report. */
const titles: Readonly<Record<Machine['machine'], string>> = {
  session: 'V3 session',
  task: 'V2 task',
  run: 'V4 run',
  browser: 'V4 browser',
};

/** Renders a state machine with its observed transitions, as a drawing and as a table. */
export function diagramView(machine: Machine, walked: readonly WalkedEdge[]): Markup {
  const edges = listEdges(machine, walked);
  const title = titles[machine.machine];
  const seen = edges.filter(({ count }) => count > 0);
  return html`<figure class="machine${edges.length > denseAbove ? ' dense' : ''}">
<figcaption><h3>${title}</h3> <span class="quiet">${summary(machine, edges)}</span></figcaption>
<div class="scroll" tabindex="0" role="region" aria-label="Diagram of the ${title}">${drawing(machine, edges)}</div>
${seen.length === 0 ? undefined : renderTable(title, seen)}
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
${placeBadges(layout).map(badgeView)}
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

function renderTable(title: string, edges: readonly DiagramEdge[]): Markup {
  const rows = edges.map(({ from, to, count, kind }) => {
    return html`<tr><td>${from}</td><td>${to}</td><td class="number">${count}</td><td>${edgeWords[kind]}</td></tr>`;
  });
  return html`<details><summary>As a table</summary><table class="edges"><caption class="unseen">Transitions of ${title}</caption>
<thead><tr><th scope="col">From</th><th scope="col">To</th><th scope="col" class="number">Times</th><th scope="col"></th></tr></thead><tbody>${rows}</tbody></table></details>`;
}

/** The label with the count of an edge; the point is its centre. */
interface Badge extends Point {
  text: string;
  width: number;
  kind: PlacedEdge['kind'];
}

const badgeHeight = 17;

/**
 * Positions on an edge where its count may be drawn, from 0 (begin of the edge) to 1 (its end), the preferred position
 * first.
 */
const places = [0.5, 0.42, 0.58, 0.34, 0.66, 0.28, 0.74, 0.22, 0.8];

/**
 * Returns a position for the count of each observed edge: the first position at which it overlaps no state and no other
 * count, or the preferred position if it overlaps everywhere.
 */
function placeBadges({ states, edges }: Layout): Badge[] {
  const taken: Box[] = states.map(({ x, y }) => ({ x, y, width: stateSize.width, height: stateSize.height }));
  return edges
    .filter(({ count }) => count > 0)
    .map(({ curve, count, kind }) => {
      const text = String(count);
      const width = 10 + 7 * text.length;
      const spots = places.map((place) => ({ ...pointAt(curve, place), width, height: badgeHeight }));
      const spot = spots.find((candidate) => !taken.some((box) => overlap(candidate, box))) ?? spots[0];
      if (spot === undefined) throw new Error('a badge has no place');
      taken.push(spot);
      return { text, width, kind, x: spot.x, y: spot.y };
    });
}

interface Box extends Point {
  width: number;
  height: number;
}

function overlap(left: Box, right: Box): boolean {
  return (
    Math.abs(left.x - right.x) < (left.width + right.width) / 2 + 2 &&
    Math.abs(left.y - right.y) < (left.height + right.height) / 2 + 1
  );
}

function pointAt([a, b, c, d]: PlacedEdge['curve'], t: number): Point {
  const rest = 1 - t;
  const weigh = (axis: keyof Point): number =>
    rest ** 3 * a[axis] + 3 * rest ** 2 * t * b[axis] + 3 * rest * t ** 2 * c[axis] + t ** 3 * d[axis];
  return { x: weigh('x'), y: weigh('y') };
}

/** A point of a drawing. */
interface Point {
  x: number;
  y: number;
}

/** A state with its position; the point is its centre. */
interface PlacedState extends Point {
  name: string;
  kind: Machine['states'][number]['kind'];
  column: number;
}

/** An edge as a cubic curve. */
interface PlacedEdge extends DiagramEdge {
  curve: readonly [Point, Point, Point, Point];
}

/** A drawing of a machine. */
interface Layout {
  width: number;
  height: number;
  states: readonly PlacedState[];
  edges: readonly PlacedEdge[];
}

/** Size of a state, in units of the drawing. */
const stateSize = { width: 104, height: 38 } as const;

/** Number of edges above which the drawing is enlarged. */
const denseAbove = 8;

const rowHeight = 78;
const margin = 46;
const kinds = ['pending', 'live', 'end'] as const;

/** Places the states of a machine in columns, from pending to terminal. */
function layOut({ states }: Machine, edges: readonly DiagramEdge[]): Layout {
  const columns = kinds
    .map((kind) => states.filter((state) => state.kind === kind))
    .filter((column) => column.length > 0);
  const columnGap = edges.length > denseAbove ? 210 : 116;
  const rows = Math.max(...columns.map((column) => column.length));
  const height = rows * rowHeight;
  const placed = columns.flatMap((members, column) =>
    members.map(({ name, kind }, row) => ({
      name,
      kind,
      column,
      x: margin + stateSize.width / 2 + column * (stateSize.width + columnGap),
      y: (height * (row + 0.5)) / members.length,
    })),
  );
  const width = 2 * margin + columns.length * stateSize.width + (columns.length - 1) * columnGap;
  return { width, height, states: placed, edges: placeEdges(placed, edges) };
}

interface End {
  edge: DiagramEdge;
  state: PlacedState;
  other: PlacedState;
  side: 'left' | 'right';
}

function placeEdges(states: readonly PlacedState[], edges: readonly DiagramEdge[]): PlacedEdge[] {
  const ends = edges.flatMap((edge): [End, End][] => {
    const from = states.find(({ name }) => name === edge.from);
    const to = states.find(({ name }) => name === edge.to);
    if (from === undefined || to === undefined) return [];
    const [out, into] = chooseSides(from, to);
    return [
      [
        { edge, state: from, other: to, side: out },
        { edge, state: to, other: from, side: into },
      ],
    ];
  });
  const all = ends.flat();
  return ends.map(([start, end]) => {
    const points = [placePort(start, all), placePort(end, all)] as const;
    return { ...start.edge, curve: createCurve(points, [start, end], isBlocked(start, states)) };
  });
}

// Within a column, downward edges curve to the right and upward edges to the left, so that they never overlap.
function chooseSides(from: PlacedState, to: PlacedState): readonly [End['side'], End['side']] {
  if (from.column < to.column) return ['right', 'left'];
  if (from.column > to.column) return ['left', 'right'];
  return from.y < to.y ? ['right', 'right'] : ['left', 'left'];
}

// The edges at one side of a state are spread over this side, in the order of their other ends.
function placePort(end: End, all: readonly End[]): Point {
  const { state, side } = end;
  const same = all
    .filter((other) => other.state === state && other.side === side)
    .toSorted((left, right) => left.other.y - right.other.y || left.other.x - right.other.x);
  const step = Math.min(11, (stateSize.height - 8) / same.length);
  const x = state.x + (side === 'right' ? 1 : -1) * (stateSize.width / 2);
  return { x, y: state.y + (same.indexOf(end) - (same.length - 1) / 2) * step };
}

function createCurve(
  [a, b]: readonly [Point, Point],
  [start, end]: readonly [End, End],
  blocked: boolean,
): PlacedEdge['curve'] {
  const way = start.side === 'right' ? 1 : -1;
  const back = end.side === 'right' ? 1 : -1;
  const span = Math.abs(start.state.column - end.state.column);
  if (span === 0) return [a, { x: a.x + way * 42, y: a.y }, { x: b.x + back * 42, y: b.y }, b];
  const reach = Math.abs(b.x - a.x);
  if (blocked) {
    const y = a.y + (b.y < a.y ? -1 : 1) * stateSize.height * 1.9;
    return [a, { x: a.x + way * reach * 0.25, y }, { x: b.x + back * reach * 0.4, y }, b];
  }
  // An edge that spans a column stays level until it has passed this column, so that it does not cross the states
  // there.
  const [first, second] = span > 1 ? [1, 0.05] : [0.45, 0.45];
  return [a, { x: a.x + way * reach * first, y: a.y }, { x: b.x + back * reach * second, y: b.y }, b];
}

/** Returns true if a horizontal edge from `state` to `other` would cross a state in one of the columns between them. */
function isBlocked({ state, other }: End, states: readonly PlacedState[]): boolean {
  const [low, high] = [state.column, other.column].toSorted((left, right) => left - right);
  return states.some(({ column, y }) => {
    return column > (low ?? 0) && column < (high ?? 0) && Math.abs(y - state.y) < stateSize.height / 2 + 8;
  });
}

/** One transition in a state diagram. */
export interface DiagramEdge {
  from: string;
  to: string;
  /** Number of times that the transition was observed; 0 for an edge that is only documented. */
  count: number;
  /**
   * `open`: documented, not observed; `walked`: observed; `skipping`: observed, but a poll missed a state between;
   * `illegal`: forbidden, but observed.
   */
  kind: 'open' | 'walked' | 'skipping' | 'illegal';
}

/** Name of each kind of edge in the report. */
const edgeWords: Readonly<Record<DiagramEdge['kind'], string>> = {
  open: 'not seen',
  walked: 'seen',
  skipping: 'seen, with a state between that no poll met',
  illegal: 'seen, and must not happen',
};

/**
 * Returns the documented and the observed edges of a machine. The most severe edges come last, so that they are drawn
 * on top.
 */
function listEdges(machine: Machine, walked: readonly WalkedEdge[]): DiagramEdge[] {
  const own = walked.filter((edge) => edge.machine === machine.machine);
  const written = listSteps(machine);
  const isWritten = ({ from, to }: WalkedEdge): boolean => written.some((step) => step.from === from && step.to === to);
  const seen = own.map((edge): DiagramEdge => {
    const { from, to, count } = edge;
    if (!isLegalStep(machine, edge)) return { from, to, count, kind: 'illegal' };
    return { from, to, count, kind: machine.transitions.length === 0 || isWritten(edge) ? 'walked' : 'skipping' };
  });
  const open = written
    .filter(({ from, to }) => from !== to && !own.some((edge) => edge.from === from && edge.to === to))
    .map(({ from, to }): DiagramEdge => ({ from, to, count: 0, kind: 'open' }));
  return [...open, ...seen].toSorted((left, right) => weights[left.kind] - weights[right.kind]);
}

const weights: Readonly<Record<DiagramEdge['kind'], number>> = { open: 0, skipping: 1, walked: 2, illegal: 3 };
