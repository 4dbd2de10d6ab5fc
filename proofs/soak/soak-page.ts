import type { Held } from '../fuzz/measure-held.ts';

/** Result of a soak run. */
export interface SoakResult {
  readonly requests: number;
  readonly faults: readonly string[];
  /** Measurements at rest by window. */
  readonly held: readonly Held[];
}

/** When and on which machine the run was made. */
export interface SoakFacts {
  readonly commit: string;
  readonly day: string;
  readonly minutes: number;
  /** Load average of the machine at the end. */
  readonly load: number;
}

const mebibyte = 1024 * 1024;

/** Measured figures; the first windows are excluded, because they load code. */
const figures: readonly { readonly name: string; readonly of: (held: Held) => number }[] = [
  { name: 'heap (MiB)', of: ({ heapBytes }) => heapBytes / mebibyte },
  { name: 'resident memory (MiB)', of: ({ residentBytes }) => residentBytes / mebibyte },
  { name: 'active resources', of: ({ resources }) => resources },
  { name: 'descriptors', of: ({ descriptors }) => descriptors },
  { name: 'files', of: ({ files }) => files },
];
/** Share of windows that are excluded. */
const beginning = 0.1;

/** Returns the names of growing figures. */
export function growing(held: readonly Held[]): string[] {
  return getTrends(held).flatMap(({ name, trend }) => (isGrowth(trend) ? [name] : []));
}

/** Returns the page of evidence. */
export function soakPage({ requests, faults, held }: SoakResult, { commit, day, minutes, load }: SoakFacts): string {
  const grown = growing(held);
  const trends = getTrends(held).map(
    ({ name, values, trend }) =>
      `| ${name} | ${shown(values[0])} | ${shown(values.at(-1))} | ${trend.perWindow.toPrecision(2)} | ${(trend.share * 100).toFixed(1)} % | ${trend.certainty.toFixed(1)} | ${isGrowth(trend) ? 'GROWS' : 'no'} |`,
  );
  const windows = held.map(
    (one, n) => `| ${n + 1} | ${one.after} | ${figures.map(({ of }) => shown(of(one))).join(' | ')} |`,
  );
  return `# Soak

Written by \`npm run long -- soak --minutes ${minutes}\` on commit ${commit}, ${day}; load of the machine at the end ${load.toFixed(1)}.

${requests} requests in ${held.length} windows, 8 clients at once, to \`svc serve --hosts simulated\`: sessions with follow-ups, runs, tasks, browsers, workspaces, profiles
and lists. After each window everything is ended and deleted, 40 days pass, and what is left is measured after a collection. ${faults.length} faults. ${grown.length === 0 ? 'Nothing grows.' : `**Grows: ${grown.join(', ')}.**`}

A figure grows where it surely rises (Mann and Kendall, more than 2.33) by more than 3 % of its median over the run (median of the slopes between all
pairs of windows). The first tenth of the windows loads what is needed once, and is left out.

| Figure | First | Last | Per window | Over the run | Certainty | Grows |
| --- | --- | --- | --- | --- | --- | --- |
${trends.join('\n')}
${faults.length === 0 ? '' : `\n## Faults\n\n${faults.map((fault) => `- ${fault}`).join('\n')}\n`}
## Every window

| Window | Requests | ${figures.map(({ name }) => name).join(' | ')} |
| --- | --- |${figures.map(() => ' --- |').join('')}
${windows.join('\n')}
`;
}

function getTrends(held: readonly Held[]): { name: string; values: number[]; trend: Trend }[] {
  const judged = held.slice(Math.ceil(held.length * beginning));
  return figures.map(({ name, of }) => {
    const values = judged.map(of);
    return { name, values, trend: getTrend(values) };
  });
}

function shown(value: number | undefined): string {
  return value === undefined ? '-' : Number(value.toFixed(1)).toString();
}

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
