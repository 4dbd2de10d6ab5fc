/** Runs a piece of work when it is its turn. */
export type Turnstile = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Lets at most `places` pieces of work run at once, in the order of arrival. Browsers start several times slower when
 * more of them start at once than the processors can serve.
 */
export function createTurnstile(places: number): Turnstile {
  let free = places;
  const line: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((proceed) => line.push(proceed));
    try {
      return await work();
    } finally {
      const next = line.shift();
      // The place is handed over, not freed, so that nobody who arrives meanwhile slips in before.
      if (next === undefined) free += 1;
      else next();
    }
  };
}
