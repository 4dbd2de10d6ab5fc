/** Trend of a figure over windows of equal work. */
export interface Trend {
  /** Gain per window: the median of the slopes between all pairs of windows, which is robust against outliers. */
  readonly perWindow: number;
  /** Gain over all windows, relative to the median. */
  readonly share: number;
  /** Certainty of a rise (Mann-Kendall test): chance alone exceeds 2.33 in one of a hundred cases. */
  readonly certainty: number;
}

const surely = 2.33;
/** Relative gain of memory that does not count as growth. */
const negligible = 0.03;

/** Returns the trend of a figure by window; no trend for fewer than three windows. */
export function getTrend(values: readonly number[]): Trend {
  const pairs = values.flatMap((value, from) =>
    values.slice(from + 1).map((later, ahead) => ({ rise: later - value, windows: ahead + 1 })),
  );
  const perWindow = getMedian(pairs.map(({ rise, windows }) => rise / windows));
  const sum = pairs.reduce((signs, { rise }) => signs + Math.sign(rise), 0);
  const count = values.length;
  const deviation = Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18);
  const certainty = sum === 0 ? 0 : (sum - Math.sign(sum)) / deviation;
  // Relative to a median of zero, any gain is infinite and no gain is zero.
  const share = perWindow === 0 ? 0 : (perWindow * (count - 1)) / getMedian(values);
  return { perWindow, share, certainty };
}

/** Returns whether a figure grows: its rise is certain and not negligible. */
export function isGrowth({ share, certainty }: Trend): boolean {
  return certainty > surely && share > negligible;
}

function getMedian(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
