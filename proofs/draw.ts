import { createRandom } from '../conformance/core/random.ts';

/** Draws from one repeatable stream. */
export interface Draw {
  /** A number from 0, included, to 1. */
  readonly random: () => number;
  /** A whole number from 0 to `below`, which is excluded and at least 1. */
  below(below: number): number;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  /** True in this share of all cases. */
  chance(share: number): boolean;
  /** One of a list that is not empty. */
  of<T>(list: readonly T[]): T;
  /** A list of values, `least` to `most` of them. */
  list<T>(bounds: readonly [number, number], make: () => T): T[];
}

/** The draws of a seed; those of two seeds that stand beside each other have nothing in common. */
export function createDraw(seed: number): Draw {
  const random = createRandom(Math.imul(seed ^ (seed >>> 16), 0x45d9f3b));
  const below = (count: number): number => Math.floor(random() * count);
  const between = (least: number, most: number): number => least + below(most - least + 1);
  return {
    random,
    below,
    between,
    chance: (share) => random() < share,
    of<T>(list: readonly T[]): T {
      const found = list[below(list.length)];
      if (found === undefined) throw new Error('cannot draw from an empty list');
      return found;
    },
    list: ([least, most], make) => Array.from({ length: between(least, most) }, make),
  };
}
