/** The latest items of a sequence, oldest first, in a ring of fixed size: adding one moves nothing. */
export interface Latest<Item> {
  /** Adds an item; returns its number, which counts from 1 over the whole life of the ring. */
  add(item: Item): number;
  /** Returns the items with numbers above `after`, at most `limit`. */
  page(after: number, limit: number): readonly Item[];
  /** Returns the number of the oldest item that is kept, or of the next one. */
  first(): number;
  /** Returns the number of the next item. */
  next(): number;
  /** Forgets all items; numbers go on. */
  clear(): void;
}

/** Keeps the latest `max` items, at least 1. */
export function createLatest<Item>(max: number): Latest<Item> {
  // The item of a number lies at its remainder by `max`.
  let ring: Item[] = [];
  let [first, next] = [1, 1];
  return {
    add(item) {
      const number = next;
      ring[number % max] = item;
      next += 1;
      if (next - first > max) first += 1;
      return number;
    },
    page(after, limit) {
      const from = Math.max(after + 1, first);
      const until = Math.min(next, from + limit);
      const items: Item[] = [];
      for (let number = from; number < until; number += 1) {
        const item = ring[number % max];
        if (item !== undefined) items.push(item);
      }
      return items;
    },
    first: () => first,
    next: () => next,
    clear() {
      ring = [];
      first = next;
    },
  };
}
