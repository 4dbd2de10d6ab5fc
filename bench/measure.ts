import { getMedian } from '../tools/measure/evidence.ts';

/** Two ways to perform the same work: the measured way (`subject`) and the simplest possible way (`baseline`). */
export interface Pair {
  readonly subject: () => Promise<unknown>;
  readonly baseline: () => Promise<unknown>;
  /**
   * Called before each call of the subject. `afterSubject` and `afterBaseline` are called after each call. The time of
   * these functions is not measured. @defaultValue nothing
   */
  readonly beforeSubject?: () => Promise<unknown>;
  readonly afterSubject?: () => Promise<unknown>;
  readonly afterBaseline?: () => Promise<unknown>;
  /** Number of calls of the subject in one round, and number of calls of the baseline. */
  readonly calls: number;
  readonly rounds: number;
}

/** Median time of one call in milliseconds, by round: `ours` of the subject, `anchor` of the baseline. */
export interface Measured {
  readonly ours: readonly number[];
  readonly anchor: readonly number[];
}

/**
 * Measures subject and baseline in alternating rounds, so that a slower machine affects both. Runs one unmeasured round
 * of each, then `rounds` rounds of `calls` sequential calls.
 */
export async function measure(pair: Pair): Promise<Measured> {
  const { calls, rounds } = pair;
  const subject: Timed = { before: pair.beforeSubject, work: pair.subject, after: pair.afterSubject };
  const baseline: Timed = { before: undefined, work: pair.baseline, after: pair.afterBaseline };
  const [ours, anchor]: [number[], number[]] = [[], []];
  await getTime(subject, calls);
  await getTime(baseline, calls);
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await getTime(subject, calls));
    anchor.push(await getTime(baseline, calls));
  }
  return { ours, anchor };
}

interface Timed {
  readonly before: (() => Promise<unknown>) | undefined;
  readonly work: () => Promise<unknown>;
  readonly after: (() => Promise<unknown>) | undefined;
}

async function getTime({ before, work, after }: Timed, calls: number): Promise<number> {
  const times: number[] = [];
  for (let call = 0; call < calls; call += 1) {
    await before?.();
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
    await after?.();
  }
  return getMedian(times);
}
