import { createRandom, hashText } from '../core/random.ts';

/** Random values of a seed. */
export interface Draw {
  /** Draws a whole number, bounds included. */
  between(least: number, most: number): number;
  /** Draws eight lower-case letters. */
  word(): string;
  bytes(count: number): Buffer;
  pick<Value>(values: readonly [Value, ...Value[]]): Value;
}

/** Creates a draw from the seed of a run and the name of a trial, so that a trial draws the same values in every selection. */
export function createDraw(seed: number, name: string): Draw {
  const random = createRandom(hashText(`${seed} ${name}`));
  const between = (least: number, most: number): number => least + Math.floor(random() * (most - least + 1));
  return {
    between,
    word: () => Array.from({ length: 8 }, () => String.fromCodePoint(between(97, 122))).join(''),
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => between(0, 255))),
    pick: (values) => values[between(0, values.length - 1)] ?? values[0],
  };
}
