import type { Target } from '../../core/target/target.ts';
import { sample } from '../../core/random.ts';
import { type LevelCell, levelCells } from './scenarios-part-level-cells.ts';

const accepted = levelCells('v3').filter((cell) => cell.accepted);

/** Cells of the V3 matrix that must be accepted. */
export const acceptanceCellCount: number = accepted.length;

/** What is drawn for one run. */
export interface AcceptanceDraw {
  target: Target;
  /** Most cells. */
  count: number;
  seed: number;
}

/** The cells that one run sends: one of each alias first, the others drawn by the seed; in table order. */
export function drawAcceptanceCells({ target, count, seed }: AcceptanceDraw): LevelCell[] {
  const possible = accepted.filter((cell) => !cell.ownKey || target.ownKeys.includes(cell.provider));
  const aliases = possible.filter(({ names, level }) => names.length > 1 && level === 'low').slice(0, count);
  const others = possible.filter((cell) => !aliases.includes(cell));
  const drawn = new Set([...aliases, ...sample(others, count - aliases.length, seed)]);
  return possible.filter((cell) => drawn.has(cell));
}

/** True when the stored keys of the target allow a cell to be sent. */
export function isReachable(cell: LevelCell, target: Target): boolean {
  return !cell.ownKey || target.ownKeys.includes(cell.provider);
}
