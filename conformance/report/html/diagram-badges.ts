import { type Layout, type PlacedEdge, type Point, stateSize } from './diagram-layout.ts';

/** The count of an edge; the point is its centre. */
export interface Badge extends Point {
  text: string;
  width: number;
  kind: PlacedEdge['kind'];
}

const badgeHeight = 17;

/** Positions on an edge for its count, from 0 to 1, the preferred one first. */
const places = [0.5, 0.42, 0.58, 0.34, 0.66, 0.28, 0.74, 0.22, 0.8];

/** Places the count of each observed edge where it overlaps no state and no other count, if there is room. */
export function badgesOf({ states, edges }: Layout): Badge[] {
  const taken: Box[] = states.map(({ x, y }) => ({ x, y, width: stateSize.width, height: stateSize.height }));
  return edges
    .filter(({ count }) => count > 0)
    .map(({ curve, count, kind }) => {
      const text = String(count);
      const width = 10 + 7 * text.length;
      const spots = places.map((at) => ({ ...pointAt(curve, at), width, height: badgeHeight }));
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
