import { medianOf } from './table/summarise.ts';

/** Two ways to do the same thing: ours, and the barest one that there is. */
export interface Pair {
  readonly subject: () => Promise<unknown>;
  readonly baseline: () => Promise<unknown>;
  /** What has to be there before a call of the subject, and what is put away after a call; not measured. @defaultValue nothing */
  readonly beforeSubject?: () => Promise<unknown>;
  readonly afterSubject?: () => Promise<unknown>;
  readonly afterBaseline?: () => Promise<unknown>;
  /** Calls of each in one round. */
  readonly calls: number;
  readonly rounds: number;
}

/** What a pair came to: the median of one call in milliseconds, round by round. */
export interface Measured {
  readonly ours: readonly number[];
  readonly anchor: readonly number[];
}

/**
 * Takes turns, so that a machine that grows slower meanwhile slows both: a warm-up round of each, then `rounds` rounds of
 * `calls` calls, one after the other.
 */
export async function measure(pair: Pair): Promise<Measured> {
  const { calls, rounds } = pair;
  const subject: Timed = { before: pair.beforeSubject, work: pair.subject, after: pair.afterSubject };
  const baseline: Timed = { before: undefined, work: pair.baseline, after: pair.afterBaseline };
  const [ours, anchor]: [number[], number[]] = [[], []];
  await timeOf(subject, calls);
  await timeOf(baseline, calls);
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await timeOf(subject, calls));
    anchor.push(await timeOf(baseline, calls));
  }
  return { ours, anchor };
}

interface Timed {
  readonly before: (() => Promise<unknown>) | undefined;
  readonly work: () => Promise<unknown>;
  readonly after: (() => Promise<unknown>) | undefined;
}

async function timeOf({ before, work, after }: Timed, calls: number): Promise<number> {
  const times: number[] = [];
  for (let call = 0; call < calls; call += 1) {
    await before?.();
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
    await after?.();
  }
  return medianOf(times);
}
