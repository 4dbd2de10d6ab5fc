import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { longFiles } from './long-files.ts';

/**
 * Starts test files in the order of known durations, the longest first, so that no processor is idle at the end. Vitest
 * orders by durations of earlier runs, which a new clone lacks.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- a method of vitest, which sorts no array in place
    const rest = await super.sort(files);
    return longestFirst(rest, ({ moduleId }) => relative(this.ctx.config.root, moduleId));
  }
}

/** Returns files with known durations, the longest first, followed by all other files in their given order. */
export function longestFirst<T>(files: readonly T[], getName: (file: T) => string): T[] {
  const seconds = (file: T): number => longFiles.get(getName(file)) ?? 0;
  return files.toSorted((a, b) => seconds(b) - seconds(a));
}
