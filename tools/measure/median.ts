/** Returns the median: for an even count the mean of the two middle values, for an empty list NaN. */
export function getMedian(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const half = sorted.length / 2;
  const [below, above] = [sorted[Math.ceil(half) - 1], sorted[Math.floor(half)]];
  return below === undefined || above === undefined ? Number.NaN : (below + above) / 2;
}
