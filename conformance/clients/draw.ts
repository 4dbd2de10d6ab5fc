import { createRandom, hashText } from '../core/random.ts';

/** Values that a seed decides. */
export interface Draw {
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  /** Eight letters. */
  word(): string;
  bytes(count: number): Buffer;
  pick<Value>(values: readonly [Value, ...Value[]]): Value;
}

/** Draws from the seed of a run and the name of a trial, so that a trial draws the same alone and among others. */
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
