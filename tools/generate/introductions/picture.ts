import { type Machine, type Moves, getMoves } from './moves.ts';
import { emitTables } from '../write-files.ts';
import { pictureName } from './introduction.ts';

/*
 * Pictures of life cycles as SVG. States are below each other on the left. Each transition is a numbered line to their
 * right, from a dot at each source state to an arrow at each target state. No line crosses a number, because numbers
 * are between the states. Colours are those of the page.
 */

/** Width of the picture in units of its `viewBox`. On a phone, a unit is about one CSS pixel. */
const width = 340;
const box = { width: 124, least: 46, gap: 24 };
const port = 14;
const track = { first: 26, pitch: 21 };
const radius = 8.5;

interface Row {
  readonly name: string;
  readonly kind: string;
  readonly top: number;
  readonly height: number;
  /** Numbers of the moves that start or end at the state, in the order of their lines from the top. */
  readonly ports: readonly number[];
}

interface Line extends Moves {
  readonly x: number;
  readonly number: number;
}

/** Returns the picture of a state machine as an SVG element, which scales to any width. */
function lifeCyclePicture(machine: Machine, moves: readonly Moves[]): string {
  const lines = placedLines(machine, moves);
  const rows = placedRows(machine, lines);
  const last = rows.at(-1);
  const height = (last?.top ?? 0) + (last?.height ?? 0) + 2;
  const label = `Life cycle of a ${machine.machine}: ${machine.states.map(({ name }) => name).join(', ')}. The moves are listed below the picture.`;
  return [
    `<svg class="life-cycle" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">`,
    ...lines.flatMap((line) => drawnLine(line, rows)),
    ...rows.flatMap(drawnRow),
    '</svg>',
  ].join('\n');
}

/**
 * Returns a vertical line for each move. The line is in the column nearest to the states where it overlaps no other
 * line. Moves over few states are placed first, so that long lines go around short lines.
 */
function placedLines({ states }: Machine, moves: readonly Moves[]): Line[] {
  const at = (name: string): number => states.findIndex((state) => state.name === name);
  const spans = moves.map((move, index) => {
    const places = [...move.from, ...move.to].map(at);
    return { move, number: index + 1, first: Math.min(...places), last: Math.max(...places) };
  });
  const columns: { first: number; last: number }[][] = [];
  const placed = spans
    .toSorted((a, b) => a.last - a.first - (b.last - b.first) || a.number - b.number)
    .map(({ move, number, first, last }): Line => {
      const free = columns.findIndex((taken) => taken.every((span) => span.last <= first || span.first >= last));
      const column = free === -1 ? columns.push([]) - 1 : free;
      columns[column]?.push({ first, last });
      return { ...move, number, x: box.width + track.first + column * track.pitch };
    });
  return placed.toSorted((a, b) => a.number - b.number);
}

function placedRows({ states }: Machine, lines: readonly Line[]): Row[] {
  let top = 1;
  return states.map(({ name, kind }) => {
    // Upward lines leave above downward lines. Of both, the lines nearest to the states leave nearest to the upper or
    // lower edge. This reduces crossings.
    const ports = lines
      .filter(({ from, to }) => from.includes(name) || to.includes(name))
      .toSorted((a, b) => side(a, name, states) - side(b, name, states))
      .map(({ number }) => number);
    const height = Math.max(box.least, ports.length * port + 12);
    const row = { name, kind, top, height, ports };
    top += height + box.gap;
    return row;
  });
}

/**
 * Returns the sort key of a line among all lines at the state `name`: negative if the other states of the line are
 * above this state, 0 if they are on both sides, otherwise positive.
 */
function side({ from, to, x }: Line, name: string, states: Machine['states']): number {
  const at = (one: string): number => states.findIndex((state) => state.name === one);
  const others = [...from, ...to].filter((one) => one !== name).map((one) => at(one) - at(name));
  const goesUp = others.some((distance) => distance < 0);
  const goesDown = others.some((distance) => distance > 0);
  if (goesUp && goesDown) return 0;
  return goesUp ? x - width * 2 : width * 2 - x;
}

function portY(row: Row, number: number): number {
  return row.top + row.height / 2 + (row.ports.indexOf(number) - (row.ports.length - 1) / 2) * port;
}

function drawnLine({ from, to, x, number }: Line, rows: readonly Row[]): string[] {
  const places = rows.filter(({ name }) => from.includes(name) || to.includes(name));
  const ys = places.map((row) => portY(row, number));
  const target = places.find(({ name }) => to.includes(name));
  // Places the number in the gap before the first target state of the transition, on the side of the source state.
  const gapAt = numberY(target, target === places[0]);
  const isEnd = (y: number): boolean => y === Math.min(...ys) || y === Math.max(...ys);
  const ends = places.map((row) => {
    const y = portY(row, number);
    if (!to.includes(row.name))
      return `<path d="M${box.width} ${y}H${x}"/>${dot(box.width, y)}${isEnd(y) ? '' : dot(x, y)}`;
    return `<path d="M${x} ${y}H${box.width + 7}"/><path class="arrow" d="M${box.width} ${y}l8 -4v8z"/>`;
  });
  return [
    `<g class="move">`,
    `<path d="M${x} ${Math.min(...ys)}V${Math.max(...ys)}"/>`,
    ...ends,
    `<circle class="number" cx="${x}" cy="${gapAt}" r="${radius}"/><text x="${x}" y="${gapAt + 4}">${number}</text>`,
    '</g>',
  ];
}

function dot(x: number, y: number): string {
  return `<circle cx="${x}" cy="${y}" r="2.5"/>`;
}

function numberY(target: Row | undefined, comesFromBelow: boolean): number {
  if (target === undefined) return 0;
  return comesFromBelow ? target.top + target.height + box.gap / 2 : target.top - box.gap / 2;
}

function drawnRow({ name, kind, top, height }: Row): string[] {
  const middle = top + height / 2;
  return [
    `<g class="state ${kind}">`,
    `<rect x="1" y="${top}" width="${box.width - 1}" height="${height}" rx="6"/>`,
    `<rect class="kind" x="1" y="${top}" width="6" height="${height}" rx="3"/>`,
    `<text x="18" y="${middle - 2}">${name}</text><text class="kind" x="18" y="${middle + 14}">${kind}</text>`,
    '</g>',
  ];
}

/** Returns the text of a module with the pictures of all life cycles, by the names that `pictureName` returns. */
export function picturesModule(machines: readonly Machine[]): string {
  const pictures = machines.map((machine) => [pictureName(machine), lifeCyclePicture(machine, getMoves(machine))]);
  return emitTables([
    {
      name: 'lifeCyclePictures',
      comment: 'SVG elements of the life cycles, by the class of the element of an introduction that shows them.',
      value: Object.fromEntries(pictures),
    },
  ]);
}
