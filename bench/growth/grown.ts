/** How a figure changes when there is 10 and 100 times as much of something. */
export interface Grown {
  readonly figure: string;
  /** What there is more of. */
  readonly of: string;
  /** Always more, each ten times the one before. */
  readonly sizes: readonly number[];
  /** What it costs at each size, per request, session or whatever the figure speaks of: work that stays the same costs the same. */
  readonly costs: readonly number[];
  readonly unit: 'ms' | 'us' | 'KiB';
}

/** What the largest may cost, times what the smallest does: as much again is what a busy machine adds by itself. */
const worstGrowth = 1.3;

/** The table of growth: one line for each figure, and at its end whether it grows with what there is. */
export function grownLines(all: readonly Grown[]): string[] {
  const width = Math.max(...all.map(({ figure }) => figure.length));
  return all.map((grown) => {
    const { figure, of, sizes, costs, unit } = grown;
    const shown = sizes.map((size, n) => `${(costs[n] ?? Number.NaN).toPrecision(3)} ${unit} (${size})`).join('  ');
    return `${figure.padEnd(width)}  ${growthOf(grown).toFixed(2).padStart(6)}  ${shown}  ${of}${isTooMuch(grown) ? '  GROWS' : ''}`;
  });
}

/** What the largest costs, times what the smallest does. */
function growthOf({ costs }: Grown): number {
  const [first = Number.NaN, last = Number.NaN] = [costs[0], costs.at(-1)];
  // Too little to be measured, both times.
  return first === last ? 1 : last / first;
}

/** Whether a figure costs more the more there is. */
function isTooMuch(grown: Grown): boolean {
  return growthOf(grown) > worstGrowth;
}
