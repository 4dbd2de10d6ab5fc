import { createRandom } from '#conformance/core/random.ts';

/** Random values from one repeatable sequence. */
export interface Draw {
  /** Returns a number of at least 0 and less than 1. */
  readonly random: () => number;
  /** Returns an integer of at least 0 and less than `below`, which must be at least 1. */
  below(below: number): number;
  /** Returns an integer from `least` to `most`, both included. */
  between(least: number, most: number): number;
  /** Returns true with the probability `share`, a number from 0 to 1. */
  chance(share: number): boolean;
  /** Returns a random element of a list; throws for an empty list. */
  of<T>(list: readonly T[]): T;
  /**
   * Returns a list of values that `make` creates. The length is random between the two bounds, which are both included.
   */
  list<T>(bounds: readonly [number, number], make: () => T): T[];
  /** Returns the elements of a list in random order. */
  shuffled<T>(list: readonly T[]): T[];
}

/** Creates the random values of a seed; neighbouring seeds yield independent values. */
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
    shuffled: (list) =>
      list
        .map((item) => ({ item, place: random() }))
        .toSorted((one, other) => one.place - other.place)
        .map(({ item }) => item),
  };
}
