/** How long something may seem unattended, in milliseconds: its owner may be about to begin, or about to hear of it. */
const suspectMs = 10_000;

/** What seemed unattended in the look before this one. */
export interface Suspects {
  /** Begins a look. The result says of what seems unattended now whether it has in every look for long enough. */
  look(): (id: string) => boolean;
}

/** Suspects by the machine's steady time: a clock that is moved makes none. */
export function createSuspects(): Suspects {
  /** When each was seen first, in milliseconds of `performance.now()`. */
  let since = new Map<string, number>();
  return {
    look() {
      const before = since;
      since = new Map();
      return (id) => {
        const first = before.get(id) ?? performance.now();
        since.set(id, first);
        return performance.now() - first >= suspectMs;
      };
    },
  };
}
