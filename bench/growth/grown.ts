/** Costs of one figure at several sizes of a resource, such as numbers of stored sessions. */
export interface Grown {
  readonly figure: string;
  /** Name of the resource whose number grows. */
  readonly of: string;
  /** Increasing numbers of the resource, each about ten times the previous number. */
  readonly sizes: readonly number[];
  /**
   * Cost at each size, per request, session or other unit of the figure. Equal costs mean that the size has no effect.
   */
  readonly costs: readonly number[];
  readonly unit: 'ms' | 'us' | 'KiB';
}

/**
 * Maximum quotient of the cost at the largest size and the cost at the smallest; above 1, because a loaded machine
 * varies.
 */
const worstGrowth = 1.3;

/** Returns the growth table: one line per figure, marked with `GROWS` if its cost grows too much. */
export function grownLines(all: readonly Grown[]): string[] {
  const width = Math.max(...all.map(({ figure }) => figure.length));
  return all.map((grown) => {
    const { figure, of, sizes, costs, unit } = grown;
    const shown = sizes.map((size, n) => `${(costs[n] ?? Number.NaN).toPrecision(3)} ${unit} (${size})`).join('  ');
    return `${figure.padEnd(width)}  ${getGrowth(grown).toFixed(2).padStart(6)}  ${shown}  ${of}${isTooMuch(grown) ? '  GROWS' : ''}`;
  });
}

/** Returns the cost at the largest size divided by the cost at the smallest size. */
function getGrowth({ costs }: Grown): number {
  const [first = Number.NaN, last = Number.NaN] = [costs[0], costs.at(-1)];
  // Equal costs mean no growth, also if both are 0 because they are too small to measure.
  return first === last ? 1 : last / first;
}

/** Returns whether the cost at the largest size exceeds `worstGrowth` times the cost at the smallest size. */
function isTooMuch(grown: Grown): boolean {
  return getGrowth(grown) > worstGrowth;
}
