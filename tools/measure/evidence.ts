import { execFileSync } from 'node:child_process';

/** Returns the median: for an even count the mean of the two middle values, for an empty list NaN. */
export function getMedian(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const half = sorted.length / 2;
  const [below, above] = [sorted[Math.ceil(half) - 1], sorted[Math.floor(half)]];
  return below === undefined || above === undefined ? Number.NaN : (below + above) / 2;
}

/** Returns the abbreviated id of the current commit, with a `+` if tracked files have changed since the commit. */
export function currentCommit(): string {
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
  return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', '--untracked-files=no') === '' ? '' : '+');
}
