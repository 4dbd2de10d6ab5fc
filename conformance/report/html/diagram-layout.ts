import type { Machine } from '../../core/lifecycle.ts';
import type { DiagramEdge } from './diagram-edges.ts';

/** A point of a drawing. */
export interface Point {
  x: number;
  y: number;
}

/** A state with its position; the point is its centre. */
export interface PlacedState extends Point {
  name: string;
  kind: Machine['states'][number]['kind'];
  column: number;
}

/** An edge as a cubic curve. */
export interface PlacedEdge extends DiagramEdge {
  curve: readonly [Point, Point, Point, Point];
}

/** A drawing of a machine. */
export interface Layout {
  width: number;
  height: number;
  states: readonly PlacedState[];
  edges: readonly PlacedEdge[];
}

/** Size of a state, in units of the drawing. */
export const stateSize = { width: 104, height: 38 } as const;

/** Number of edges above which the drawing is enlarged. */
export const denseAbove = 8;

const rowHeight = 78;
const margin = 46;
const kinds = ['pending', 'live', 'end'] as const;

/** Places the states of a machine in columns, from pending to terminal. */
export function layOut({ states }: Machine, edges: readonly DiagramEdge[]): Layout {
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
    const [out, into] = sidesOf(from, to);
    return [
      [
        { edge, state: from, other: to, side: out },
        { edge, state: to, other: from, side: into },
      ],
    ];
  });
  const all = ends.flat();
  return ends.map(([start, end]) => {
    const points = [portOf(start, all), portOf(end, all)] as const;
    return { ...start.edge, curve: curveOf(points, [start, end], isBlocked(start, states)) };
  });
}

// Within a column, downward edges curve to the right and upward edges to the left, so that they never overlap.
function sidesOf(from: PlacedState, to: PlacedState): readonly [End['side'], End['side']] {
  if (from.column < to.column) return ['right', 'left'];
  if (from.column > to.column) return ['left', 'right'];
  return from.y < to.y ? ['right', 'right'] : ['left', 'left'];
}

// The edges of one side are spread over it in the order of their other ends.
function portOf(end: End, all: readonly End[]): Point {
  const { state, side } = end;
  const same = all
    .filter((other) => other.state === state && other.side === side)
    .toSorted((left, right) => left.other.y - right.other.y || left.other.x - right.other.x);
  const step = Math.min(11, (stateSize.height - 8) / same.length);
  const x = state.x + (side === 'right' ? 1 : -1) * (stateSize.width / 2);
  return { x, y: state.y + (same.indexOf(end) - (same.length - 1) / 2) * step };
}

function curveOf(
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
  // An edge across a column stays level until it has passed it, so that it does not cross its states.
  const [first, second] = span > 1 ? [1, 0.05] : [0.45, 0.45];
  return [a, { x: a.x + way * reach * first, y: a.y }, { x: b.x + back * reach * second, y: b.y }, b];
}

/** Returns true if a state lies on the horizontal line between two ends. */
function isBlocked({ state, other }: End, states: readonly PlacedState[]): boolean {
  const [low, high] = [state.column, other.column].toSorted((left, right) => left - right);
  return states.some(({ column, y }) => {
    return column > (low ?? 0) && column < (high ?? 0) && Math.abs(y - state.y) < stateSize.height / 2 + 8;
  });
}
