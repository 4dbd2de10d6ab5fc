import type { Held } from '../fuzz/measure-held.ts';
import { type Trend, isGrowth, getTrend } from './trend.ts';

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
