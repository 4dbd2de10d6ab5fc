/**
 * A buffer of limited size for the latest items, oldest first. A further item replaces the oldest item, and no other
 * item is moved.
 */
export interface RingBuffer<Item> {
  /** Adds an item and returns its sequence number. Numbers count from 1 and continue for the lifetime of the buffer. */
  add(item: Item): number;
  /** Returns the oldest stored items with a sequence number above `after`, at most `limit` items. */
  page(after: number, limit: number): readonly Item[];
  /**
   * Returns the sequence number of the oldest stored item. For an empty buffer, returns the number of the next item.
   */
  first(): number;
  /** Returns the sequence number of the next item. */
  next(): number;
  /** Removes all items; sequence numbers continue. */
  clear(): void;
}

/** Creates an empty ring buffer for at most `max` items; `max` is at least 1. */
export function createRingBuffer<Item>(max: number): RingBuffer<Item> {
  // An item's index is its sequence number modulo `max`.
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
