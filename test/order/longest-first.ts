import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { longFiles } from './long-files.ts';

/**
 * Files that take long start first, the longest of all at once: one that starts last would be waited for with processors idle. vitest itself
 * knows how long a file takes from the run before, which a fresh clone has not, and goes by the size of files there.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- a method of vitest, which sorts no array in place
    const rest = await super.sort(files);
    return longestFirst(rest, ({ moduleId }) => relative(this.ctx.config.root, moduleId));
  }
}

/** The files of which it is known that they take long, the longest first, and behind them all others in the order that they have. */
export function longestFirst<T>(files: readonly T[], nameOf: (file: T) => string): T[] {
  const seconds = (file: T): number => longFiles.get(nameOf(file)) ?? 0;
  return files.toSorted((a, b) => seconds(b) - seconds(a));
}
