/** Where a figure goes over many windows of the same work. */
export interface Trend {
  /** What it gains in one window: the median of the slopes between all pairs of windows, which a few odd ones do not move. */
  readonly perWindow: number;
  /** What it would gain over all windows, as a share of its median. */
  readonly share: number;
  /** How sure it is that the figure rises (Mann and Kendall): beyond 2.33 chance alone does that in one of a hundred. */
  readonly certainty: number;
}

const surely = 2.33;
/** What memory may gain over a whole run without being called growth. */
const negligible = 0.03;

/** The trend of a figure, window by window; of fewer than three windows there is none. */
export function trendOf(values: readonly number[]): Trend {
  const pairs = values.flatMap((value, from) =>
    values.slice(from + 1).map((later, ahead) => ({ rise: later - value, windows: ahead + 1 })),
  );
  const perWindow = medianOf(pairs.map(({ rise, windows }) => rise / windows));
  const sum = pairs.reduce((signs, { rise }) => signs + Math.sign(rise), 0);
  const count = values.length;
  const deviation = Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18);
  const certainty = sum === 0 ? 0 : (sum - Math.sign(sum)) / deviation;
  // Of nothing every gain is too large, and none is none.
  const share = perWindow === 0 ? 0 : (perWindow * (count - 1)) / medianOf(values);
  return { perWindow, share, certainty };
}

/** Whether a figure grows: it surely rises, and by more than nothing. */
export function isGrowth({ share, certainty }: Trend): boolean {
  return certainty > surely && share > negligible;
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
