/** Creates a repeatable stream of numbers in [0, 1) for one seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  // mulberry32: 32 bits of state suffice for selecting test cells.
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Draws `count` items without repetition, in their original order; all items if `count` is larger than the list. */
export function sample<T>(items: readonly T[], count: number, seed: number): T[] {
  const random = createRandom(seed);
  const chosen = new Set(
    items
      .map((item) => ({ item, rank: random() }))
      .toSorted((left, right) => left.rank - right.rank)
      .slice(0, count)
      .map(({ item }) => item),
  );
  return items.filter((item) => chosen.has(item));
}

/** Draws a UUID (version 4) from a random stream. */
export function randomUuid(random: () => number): string {
  const digits = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16));
  digits[12] = '4';
  digits[16] = ['8', '9', 'a', 'b'][Math.floor(random() * 4)] ?? '8';
  const text = digits.join('');
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-');
}

/** Returns a 32-bit hash of a text, as the seed of a separate random stream for each name. */
export function hashText(text: string): number {
  // FNV-1a over the bytes.
  return Buffer.from(text).reduce((hash, byte) => Math.imul(hash ^ byte, 16_777_619), 2_166_136_261) >>> 0;
}
